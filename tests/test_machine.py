from __future__ import annotations

import os
from pathlib import Path

import pytest

from cosyvoice_wyoming.errors import EngineFailed
from cosyvoice_wyoming.machine import (
    check_cpu,
    free_memory,
    has_vnni,
    hottest,
    pressure,
    resident_bytes,
    trim_memory,
)


def write(root: Path, **files: str) -> Path:
    """Write files below `root`, `__` for a slash."""
    for name, text in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


MEMINFO = "MemTotal: 4000000 kB\nMemAvailable: 2000000 kB\n"


def test_without_a_control_group_the_host_decides(tmp_path):
    assert free_memory(write(tmp_path, proc__meminfo=MEMINFO)) == 2_000_000 << 10


def test_a_control_group_leaves_its_limit_less_what_cannot_give_way(tmp_path):
    root = write(
        tmp_path, proc__meminfo=MEMINFO, proc__self__cgroup="0::/app\n", sys__fs__cgroup__app__x=""
    )
    group = root / "sys/fs/cgroup/app"
    (group / "memory.max").write_text("1000000000\n")
    (group / "memory.current").write_text("900000000\n")
    (group / "memory.stat").write_text("anon 5\ninactive_file 300000000\n")
    assert free_memory(root) == 400_000_000


def test_a_group_further_out_may_be_the_narrower(tmp_path):
    root = write(tmp_path, proc__meminfo=MEMINFO, proc__self__cgroup="0::/outer/inner\n")
    for name, limit in (("outer", "500000000"), ("outer/inner", "max")):
        group = root / "sys/fs/cgroup" / name
        group.mkdir(parents=True, exist_ok=True)
        (group / "memory.max").write_text(limit)
        (group / "memory.current").write_text("100000000")
    assert free_memory(root) == 400_000_000


def test_version_1_counts_as_well(tmp_path):
    root = write(
        tmp_path, proc__meminfo=MEMINFO, proc__self__cgroup="4:cpu:/\n9:memory:/docker/a\n"
    )
    group = root / "sys/fs/cgroup/memory/docker/a"
    group.mkdir(parents=True)
    (group / "memory.limit_in_bytes").write_text("600000000")
    (group / "memory.usage_in_bytes").write_text("500000000")
    (group / "memory.stat").write_text("total_inactive_file 50000000\n")
    assert free_memory(root) == 150_000_000


def test_a_system_that_says_nothing_is_no_reason_to_do_without(tmp_path):
    assert free_memory(tmp_path) > 1 << 50
    assert hottest(tmp_path) == 0
    assert pressure(tmp_path) == 0
    assert resident_bytes(root=tmp_path) == 0
    check_cpu(tmp_path)


def test_the_hottest_zone_counts(tmp_path):
    root = write(
        tmp_path,
        sys__class__thermal__thermal_zone0__temp="61000\n",
        sys__class__thermal__thermal_zone1__temp="82500\n",
    )
    assert hottest(root) == 82.5


def test_pressure_is_a_share(tmp_path):
    text = "some avg10=37.50 avg60=1.00 avg300=0.00 total=1\nfull avg10=0.00 avg60=0.00\n"
    assert pressure(write(tmp_path, proc__pressure__cpu=text)) == 0.375


def test_a_cpu_without_what_the_models_need_is_named_before_it_is_killed(tmp_path):
    root = write(tmp_path, proc__cpuinfo="processor: 0\nflags\t: fpu sse sse2 ssse3\n")
    with pytest.raises(EngineFailed, match="lacks popcnt, sse4_2"):
        check_cpu(root, "x86_64")
    check_cpu(write(tmp_path, proc__cpuinfo="Features\t: fp asimd evtstrm crc32\n"), "aarch64")


@pytest.mark.parametrize(
    ("flags", "expected"),
    [("avx2 avx512f", False), ("avx2 avx_vnni", True), ("avx512f avx512_vnni", True)],
)
def test_vnni_is_one_of_the_cpus_flags(tmp_path, flags, expected):
    assert has_vnni(write(tmp_path, proc__cpuinfo=f"flags\t: fpu {flags}\n")) is expected


def test_this_process_has_memory_and_can_give_some_back():
    trim_memory()
    assert resident_bytes() > 10 << 20
    assert resident_bytes(os.getpid()) > 10 << 20
