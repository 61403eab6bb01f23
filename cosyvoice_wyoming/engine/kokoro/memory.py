"""How much memory this process may still take."""

from __future__ import annotations

from pathlib import Path

_UNKNOWN = 1 << 62


def free_memory(root: Path = Path("/")) -> int:
    """Return the bytes that can be taken before the host swaps or the container is killed.

    Where the system says nothing (not Linux), a huge number. `root` is where /proc and /sys are.
    """
    return min(_host(root), _container(root))


def _host(root: Path) -> int:
    return _fields(root / "proc/meminfo").get("MemAvailable:", _UNKNOWN >> 10) << 10


def _container(root: Path) -> int:
    """Return what the control group leaves; its page cache gives way, so it counts as free."""
    group = root / "sys/fs/cgroup"
    limit, used = _number(group / "memory.max"), _number(group / "memory.current")
    if limit is None or used is None:
        return _UNKNOWN
    return limit - used + _fields(group / "memory.stat").get("inactive_file", 0)


def _number(path: Path) -> int | None:
    """Return the number in a file; None if there is none ("max" means no limit)."""
    try:
        return int(path.read_text("ascii"))
    except (OSError, ValueError):
        return None


def _fields(path: Path) -> dict[str, int]:
    try:
        lines = path.read_text("ascii").splitlines()
    except OSError:
        return {}
    words = (line.split() for line in lines)
    return {word[0]: int(word[1]) for word in words if len(word) > 1 and word[1].isdecimal()}
