"""Files made to harm: each is refused, builds nothing and runs nothing."""

from __future__ import annotations

import contextlib
import os
import pickle
import struct
import subprocess
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyvoice_wyoming.checkpoint import Checkpoint
from cosyvoice_wyoming.checkpoint.archive import read_members
from cosyvoice_wyoming.checkpoint.pickle_machine import unpickle
from cosyvoice_wyoming.errors import ModelCorrupt
from tests.support import torch_files as tf


class Runs:
    """Pickles as a call of whatever it is given."""

    def __init__(self, function, *arguments):
        self.call = (function, arguments)

    def __reduce__(self):
        return self.call


def calls(marker: Path):
    """Return pickles that would create `marker` if they were executed."""
    touch = f"touch {marker}"
    return {
        "os.system": Runs(os.system, touch),
        "subprocess": Runs(subprocess.check_call, ["touch", str(marker)]),
        "eval": Runs(eval, f"open({str(marker)!r}, 'w')"),
        "exec": Runs(exec, f"open({str(marker)!r}, 'w')"),
        "getattr": Runs(getattr, os, "system"),
        "open": Runs(open, str(marker), "w"),
        "nested": {"a": [Runs(os.system, touch)]},
        "import": Runs(__import__, "antigravity"),
    }


@pytest.mark.parametrize("name", [*calls(Path("x"))])
@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_a_pickle_that_calls_something_runs_nothing(tmp_path, name, protocol):
    marker = tmp_path / "ran"
    try:
        payload = pickle.dumps(calls(marker)[name], protocol=protocol)
    except TypeError:  # a module cannot be pickled: write the call by hand
        payload = tf.program(b"cbuiltins\ngetattr\n(cos\nsystem\n" + tf.text("x") + b"tR")
    tf.write_archive(tmp_path / "x.pt", payload, {})
    with pytest.raises(ModelCorrupt):
        Checkpoint(tmp_path / "x.pt")
    assert not marker.exists()


REDUCE_TRICKS = {
    "a tensor as function": tf.tensor("0", (1,)) + b")R",
    "a storage as function": b"ctorch\nFloatStorage\n)R",
    "a dict with arguments": b"ccollections\nOrderedDict\n" + b"(" + tf.text("x") + b"tR",
    "a parameter of text": b"ctorch._utils\n_rebuild_parameter\n(" + tf.text("x") + b"\x89}tR",
    "a tensor without storage": b"ctorch._utils\n_rebuild_tensor_v2\n(K\x01K\x00))tR",
    "arguments that are no tuple": b"ccollections\nOrderedDict\n]R",
    "state of a list": b"]}b",
    "state of a tensor": tf.tensor("0", (1,)) + b"}b",
    "an object by INST": b"(ios\nsystem\n",
    "an object by OBJ": b"(cos\nsystem\no",
    "an object by NEWOBJ": b"cos\nsystem\n)\x81",
    "an extension": b"\x82\x01",
    "a global by STACK_GLOBAL": tf.text("os") + tf.text("system") + b"\x93",
    "a global of numbers": b"K\x01K\x02\x93",
    "a dotted name": b"\x8c\x05torch\x8c\x0dload.__class__\x93",
    "torch's own loader": b"ctorch\nload\n(" + tf.text("x") + b"tR",
    "a storage that is none": b"(" + tf.text("module") + b"cos\nsystem\ntQ",
    "a function as storage": b"("
    + tf.text("storage")
    + b"ctorch._utils\n_rebuild_tensor_v2\n"
    + tf.text("0")
    + tf.text("cpu")
    + b"K\x01tQ",
    "a textual persistent id": b"Pid\n",
}


@pytest.mark.parametrize("body", REDUCE_TRICKS.values(), ids=REDUCE_TRICKS)
def test_a_reduce_trick_is_refused(body):
    with pytest.raises(ModelCorrupt):
        unpickle(tf.program(body))


HUGE_CLAIMS = {
    "text": b"X\xff\xff\xff\xff",
    "an integer": b"\x8a\xff" + b"\xff" * 255,
    "a long integer": b"\x8b\xff\xff\xff\x7f",
    "bytes": b"\x8e" + b"\xff" * 7 + b"\x7f",
    "a memo": b"Nr\xff\xff\xff\xff",
    "a frame": b"\x95" + b"\xff" * 7 + b"\x7f" + b"X\xff\xff\xff\xff",
}


@pytest.mark.parametrize("body", HUGE_CLAIMS.values(), ids=HUGE_CLAIMS)
def test_a_huge_claim_reserves_nothing(body):
    with pytest.raises(ModelCorrupt):
        unpickle(tf.program(body))


BROKEN = {
    "an empty file": b"",
    "no end": b"\x80\x02N",
    "an empty stack": b"\x80\x02.",
    "a mark as result": b"\x80\x02(.",
    "values behind": b"\x80\x02NN.",
    "items without a table": b"\x80\x02N(NNu.",
    "an odd number of items": b"\x80\x02}(Nu.",
    "a key that cannot be one": b"\x80\x02}]Ns.",
    "an unknown memo": b"\x80\x02h\x07.",
    "an old protocol": b"\x80\x01N.",
    "text that is none": b"\x80\x02X\x01\x00\x00\x00\xff.",
    "a negative size": tf.program(tf.tensor("0", (1,)).replace(b"K\x01t", b"J\xff\xff\xff\xfft")),
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_a_broken_pickle_is_refused(data):
    with pytest.raises(ModelCorrupt):
        unpickle(data)


@given(st.binary(max_size=200))
def test_random_bytes_never_raise_anything_else(data):
    for body in (data, b"\x80\x02" + data):
        with contextlib.suppress(ModelCorrupt):
            unpickle(body)


@given(st.binary(max_size=64), st.integers(0, 400))
def test_a_damaged_state_dict_never_raises_anything_else(noise, at):
    program = tf.program(tf.table({"a": tf.tensor("0", (2, 3)), "b": tf.tensor("1", (4,))}))
    at %= len(program)
    with contextlib.suppress(ModelCorrupt):
        unpickle(program[:at] + noise + program[at + len(noise) :])


def archive(path: Path, names, compression=zipfile.ZIP_STORED) -> bytes:
    with zipfile.ZipFile(path, "w", compression) as out:
        for name in names:
            out.writestr(name, b"\0" * 1000)
    return path.read_bytes()


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.pt", "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("archive/data.pkl", tf.program(b"N"))
        out.writestr("archive/data/0", b"\0" * (64 << 20))
    assert (tmp_path / "x.pt").stat().st_size < 100_000
    with pytest.raises(ModelCorrupt, match="compressed"):
        Checkpoint(tmp_path / "x.pt")


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "/etc/passwd", "a/../../b", "..\\..\\x", "a\\b", "x/../data.pkl"]
)
def test_a_name_that_leaves_the_archive_is_refused(tmp_path, name):
    data = archive(tmp_path / "x.pt", ["archive/data.pkl", "archive/data/0"])
    with zipfile.ZipFile(tmp_path / "x.pt", "a") as out:
        info = zipfile.ZipInfo("placeholder")
        info.filename = name
        out.writestr(info, b"x")
    assert (tmp_path / "x.pt").read_bytes() != data
    with pytest.raises(ModelCorrupt, match="path outside"):
        Checkpoint(tmp_path / "x.pt")


def test_a_member_that_is_there_twice_is_refused(tmp_path):
    with pytest.warns(UserWarning, match="Duplicate"):
        archive(tmp_path / "x.pt", ["archive/data.pkl", "archive/data.pkl"])
    with pytest.raises(ModelCorrupt, match="twice"):
        Checkpoint(tmp_path / "x.pt")


def test_an_encrypted_member_is_refused(tmp_path):
    data = bytearray(archive(tmp_path / "x.pt", ["archive/data.pkl"]))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(ModelCorrupt, match="encrypted"):
        read_members(bytes(data))


def test_members_that_share_bytes_are_refused(tmp_path):
    data = bytearray(archive(tmp_path / "x.pt", ["archive/a", "archive/b"]))
    second = data.rindex(b"PK\x01\x02")
    struct.pack_into("<L", data, second + 42, 0)
    with pytest.raises(ModelCorrupt, match="share"):
        read_members(bytes(data))


@pytest.mark.parametrize("field", [20, 24, 42])
def test_a_member_that_claims_what_the_file_lacks_is_refused(tmp_path, field):
    data = bytearray(archive(tmp_path / "x.pt", ["archive/a"]))
    entry = data.index(b"PK\x01\x02")
    struct.pack_into("<L", data, entry + field, 0x7FFFFFFF)
    with pytest.raises(ModelCorrupt):
        read_members(bytes(data))


def test_a_directory_that_claims_gigabytes_is_refused(tmp_path):
    data = bytearray(archive(tmp_path / "x.pt", ["archive/a"]))
    struct.pack_into("<L", data, data.rindex(b"PK\x05\x06") + 12, 0x7FFFFFFF)
    with pytest.raises(ModelCorrupt, match="claims 2,147,483,647 bytes"):
        read_members(bytes(data))


@pytest.mark.parametrize(
    ("count", "shape", "complaint"),
    [(1 << 40, (2,), "claims more"), (2, (1 << 40,), "beyond its storage"), (2, (3,), "beyond")],
)
def test_a_tensor_that_claims_more_than_its_bytes_is_refused(tmp_path, count, shape, complaint):
    claim = tf.tensor("0", shape, count=count)
    tf.write_archive(tmp_path / "x.pt", tf.program(tf.table({"a": claim})), {"0": b"\0" * 8})
    with (
        Checkpoint(tmp_path / "x.pt") as checkpoint,
        pytest.raises(ModelCorrupt, match=complaint),
    ):
        checkpoint.read(checkpoint.tree["a"])


@given(st.binary(max_size=300))
def test_random_bytes_are_no_zip_and_never_raise_anything_else(data):
    for candidate in (data, b"PK\x03\x04" + data, data + b"PK\x05\x06" + b"\0" * 18):
        with contextlib.suppress(ModelCorrupt):
            read_members(candidate)
