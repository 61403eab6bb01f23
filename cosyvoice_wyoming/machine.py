"""What the machine says of itself: memory, heat, load, the CPU's instructions.

Linux only; elsewhere every sensor is silent. `root` is where /proc and /sys are.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import platform
from collections.abc import Iterator
from pathlib import Path

from cosyvoice_wyoming.errors import EngineFailed

_UNKNOWN = 1 << 62

NEEDED_INSTRUCTIONS = {
    "x86_64": frozenset({"sse4_2", "popcnt", "ssse3"}),
    "aarch64": frozenset({"asimd", "fp"}),
}
"""What the wheels of numpy and onnxruntime are built for; without one of them the process is killed
by SIGILL. Faster ones (AVX2, dot products) they look for themselves."""


def check_cpu(root: Path = Path("/"), machine: str | None = None) -> None:
    """Raise EngineFailed if the CPU lacks instructions that every model needs."""
    found = cpu_flags(root)
    missing = NEEDED_INSTRUCTIONS.get(machine or platform.machine(), frozenset()) - found
    if found and missing:
        raise EngineFailed(f"this CPU cannot run the models: it lacks {', '.join(sorted(missing))}")


def has_vnni(root: Path = Path("/")) -> bool:
    """Whether this is an x86 CPU that adds up products of unsigned and signed bytes in 32 bits.

    Others add pairs of them in 16 bits first, which overflow.
    """
    return not cpu_flags(root).isdisjoint({"avx512_vnni", "avx_vnni"})


def cpu_flags(root: Path = Path("/")) -> frozenset[str]:
    """Return the flags of the first core: x86 calls them flags, ARM Features."""
    for line in _lines(root / "proc/cpuinfo"):
        name, _, value = line.partition(":")
        if name.strip() in {"flags", "Features"}:
            return frozenset(value.split())
    return frozenset()


def free_memory(root: Path = Path("/")) -> int:
    """Return the bytes that can be taken before the host swaps or a control group's limit is hit.

    Page cache gives way, so it counts as free. A huge number where nothing is known.
    """
    host = _fields(root / "proc/meminfo").get("MemAvailable:", _UNKNOWN >> 10) << 10
    return min([host, *_left_in_groups(root)])


def _left_in_groups(root: Path) -> Iterator[int]:
    """Yield what each control group around this process leaves, of version 2 and 1."""
    for line in _lines(root / "proc/self/cgroup"):
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            base, names = root / "sys/fs/cgroup", ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            base = root / "sys/fs/cgroup/memory"
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        inner = base / path.strip("/")
        for group in [inner, *inner.parents]:
            limit, used = _number(group / names[0]), _number(group / names[1])
            if limit is not None and used is not None:
                yield limit - used + _fields(group / "memory.stat").get(names[2], 0)
            if group == base:
                break


def hottest(root: Path = Path("/")) -> float:
    """Return the highest temperature of the machine's sensors in °C; 0 where there are none."""
    zones = (root / "sys/class/thermal").glob("thermal_zone*/temp")
    return max([(_number(zone) or 0) / 1000 for zone in zones], default=0.0)


def pressure(root: Path = Path("/")) -> float:
    """Return the share of the last 10 s in which something waited for a CPU, 0 to 1."""
    for line in _lines(root / "proc/pressure/cpu"):
        kind, average, *_ = line.split()
        if kind == "some":
            return float(average.removeprefix("avg10=")) / 100
    return 0.0


def resident_bytes(pid: int | None = None, root: Path = Path("/")) -> int:
    """Return the resident memory of a process, of this one by default; 0 where it is unknown."""
    for line in _lines(root / f"proc/{pid or 'self'}/status"):
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) << 10
    return 0


def family_bytes(pid: int | None = None, root: Path = Path("/")) -> int:
    """Return the resident memory of a process and its children: a server and its engine."""
    tasks = (root / f"proc/{pid or 'self'}/task").glob("*/children")
    children = [int(child) for task in tasks for line in _lines(task) for child in line.split()]
    return resident_bytes(pid, root) + sum(resident_bytes(child, root) for child in children)


def trim_memory() -> None:
    """Give memory that is free back to the system, where its C library can do that."""
    gc.collect()
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


def cores() -> int:
    """Return how many CPUs this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _number(path: Path) -> int | None:
    """Return the number in a file; None if there is none ("max" means no limit)."""
    try:
        return int(path.read_text("ascii"))
    except (OSError, ValueError):
        return None


def _fields(path: Path) -> dict[str, int]:
    words = (line.split() for line in _lines(path))
    return {word[0]: int(word[1]) for word in words if len(word) > 1 and word[1].isdecimal()}


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text("ascii", errors="replace").splitlines()
    except OSError:
        return []
