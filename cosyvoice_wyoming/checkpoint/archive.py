"""The zip around a checkpoint: where each member lies in the file.

PyTorch stores members without compression, so a member is a range of the file and a zip bomb
cannot be written. Formats: PKWARE APPNOTE 6.3.10, sections 4.3.7 (local header), 4.3.12 (central
directory), 4.3.14 to 4.3.16 (end records, with their zip64 forms).
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass

from cosyvoice_wyoming.errors import ModelCorrupt

_END = struct.Struct("<4s4H2LH")
_END64_LOCATOR = struct.Struct("<4sLQL")
_END64 = struct.Struct("<4sQ2H2L4Q")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_MAX_COMMENT = 0xFFFF
_MAX_DIRECTORY_BYTES = 16 << 20
"""The largest official checkpoint has 1,200 members: 0.1 MB of directory."""
_ZIP64_FIELD = 1
_ENCRYPTED = 1
_UNSET32 = 0xFFFFFFFF


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A stored member: `size` bytes of the file from `offset` on."""

    offset: int
    size: int


def read_members(data: mmap.mmap | bytes) -> dict[str, Member]:
    """Return the members of a zip by name.

    Raises ModelCorrupt where anything in the zip is compressed, encrypted, out of bounds,
    overlapping, doubly named, or named as a path outside the archive.
    """
    try:
        start, size = _directory(data)
        entries = _entries(data[start : start + size])
        members = {name: _locate(data, name, entry, start) for name, entry in entries.items()}
    except struct.error as error:
        raise ModelCorrupt("The checkpoint is cut short or no zip archive.") from error
    _refuse_overlaps(members)
    return members


def _directory(data: mmap.mmap | bytes) -> tuple[int, int]:
    """Return offset and size of the central directory."""
    total = len(data)
    end_at = data.rfind(b"PK\x05\x06", max(0, total - _MAX_COMMENT - _END.size))
    if end_at < 0:
        raise ModelCorrupt("The checkpoint is cut short or no zip archive.")
    *_, size, start, _ = _END.unpack_from(data, end_at)
    locator_at = end_at - _END64_LOCATOR.size
    if locator_at >= 0 and data[locator_at : locator_at + 4] == b"PK\x06\x07":
        end64_at = _END64_LOCATOR.unpack_from(data, locator_at)[2]
        if end64_at > locator_at:
            raise ModelCorrupt("The checkpoint's zip directory points outside the file.")
        magic, *_, size, start = _END64.unpack_from(data, end64_at)
        if magic != b"PK\x06\x06":
            raise ModelCorrupt("The checkpoint's zip directory is broken.")
    if size > _MAX_DIRECTORY_BYTES:
        raise ModelCorrupt(f"The checkpoint's zip directory claims {size:,} bytes.")
    if start + size > end_at:
        raise ModelCorrupt("The checkpoint's zip directory points outside the file.")
    return start, size


def _entries(directory: bytes) -> dict[str, Member]:
    """Parse the central directory; `offset` of each entry is still that of its local header."""
    entries: dict[str, Member] = {}
    at = 0
    while at < len(directory):
        fields = _ENTRY.unpack_from(directory, at)
        magic, flags, method, packed, size = fields[0], fields[3], fields[4], fields[8], fields[9]
        name_length, extra_length, comment_length, offset = (*fields[10:13], fields[16])
        if magic != b"PK\x01\x02":
            raise ModelCorrupt("The checkpoint's zip directory is broken.")
        at += _ENTRY.size
        name = _checked_name(directory[at : at + name_length])
        extra = directory[at + name_length : at + name_length + extra_length]
        at += name_length + extra_length + comment_length
        if method != 0 or flags & _ENCRYPTED:
            raise ModelCorrupt(
                f"{name!r} in the checkpoint is compressed or encrypted; PyTorch stores it plainly."
            )
        size, packed, offset = _widen(extra, size, packed, offset)
        if packed != size:
            raise ModelCorrupt(f"{name!r} in the checkpoint claims two different sizes.")
        if name in entries:
            raise ModelCorrupt(f"The checkpoint holds {name!r} twice.")
        entries[name] = Member(offset=offset, size=size)
    return entries


def _checked_name(raw: bytes) -> str:
    try:
        name = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelCorrupt("The checkpoint has a member whose name is not text.") from error
    if "\\" in name or name.startswith("/") or ".." in name.split("/") or "\0" in name:
        raise ModelCorrupt(f"The checkpoint has a member named as a path outside it: {name!r}.")
    return name


def _widen(extra: bytes, size: int, packed: int, offset: int) -> tuple[int, int, int]:
    """Replace the fields that did not fit 32 bits by those of the zip64 extra field."""
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, at)
        if kind == _ZIP64_FIELD:
            wide = iter(struct.unpack_from(f"<{length // 8}Q", extra, at + 4))
            try:
                size = next(wide) if size == _UNSET32 else size
                packed = next(wide) if packed == _UNSET32 else packed
                offset = next(wide) if offset == _UNSET32 else offset
            except StopIteration as error:
                raise ModelCorrupt("The checkpoint's zip directory is broken.") from error
        at += 4 + length
    return size, packed, offset


def _locate(data: mmap.mmap | bytes, name: str, entry: Member, end: int) -> Member:
    """Follow an entry to its local header and return where its bytes lie."""
    fields = _LOCAL.unpack_from(data, entry.offset)
    if fields[0] != b"PK\x03\x04":
        raise ModelCorrupt(f"{name!r} in the checkpoint is not where its directory says.")
    start = entry.offset + _LOCAL.size + fields[9] + fields[10]
    if start + entry.size > end:
        raise ModelCorrupt(f"{name!r} in the checkpoint claims {entry.size:,} bytes it lacks.")
    return Member(offset=start, size=entry.size)


def _refuse_overlaps(members: dict[str, Member]) -> None:
    """Two members over the same bytes are how a small file claims to hold a large one."""
    reached = 0
    for member in sorted(members.values(), key=lambda member: (member.offset, member.size)):
        if member.offset < reached:
            raise ModelCorrupt("The checkpoint has members that share bytes.")
        reached = member.offset + member.size
