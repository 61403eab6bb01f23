"""What `--model auto` takes, on devices that people have."""

from __future__ import annotations

import pytest

from cosyvoice_wyoming.engine.choice import Device, choose, read_device, resolve

GIB = 1 << 30
A76 = frozenset({"fp", "asimd", "asimddp"})
AVX2 = frozenset({"sse4_2", "avx", "avx2"})
VNNI = AVX2 | {"avx512_vnni"}


@pytest.mark.parametrize(
    ("device", "cores", "memory", "flags", "model"),
    [
        ("Raspberry Pi 4", 4, 4, frozenset({"fp", "asimd"}), "lite"),
        ("Raspberry Pi 5, 2 GB", 4, 2, A76, "lite"),
        ("Raspberry Pi 5, 8 GB", 4, 8, A76, "cosyvoice-300m-sft-fast"),
        ("RK3588", 8, 8, A76, "cosyvoice-300m-sft"),
        ("two cores of a server", 2, 24, AVX2, "lite"),
        ("an old mini PC", 4, 8, frozenset({"sse4_2"}), "lite"),
        ("N100", 4, 8, AVX2 | {"avx_vnni"}, "cosyvoice-300m-sft-fast"),
        ("eight cores of Zen 3", 8, 16, AVX2, "cosyvoice-300m-sft-fast"),
        ("four cores of Zen 4", 4, 8, VNNI, "cosyvoice-300m-sft"),
        ("a desktop", 16, 32, VNNI, "cosyvoice-300m-sft"),
        ("no Linux", 8, 0, frozenset(), "lite"),
    ],
)
def test_the_choice_for_a_device(device, cores, memory, flags, model):
    choice = choose(Device(cores=cores, memory=memory * GIB, flags=flags))
    assert choice.model == model
    assert f"{cores} cores" in choice.reason


def test_auto_is_resolved_and_the_log_says_why(caplog):
    with caplog.at_level("INFO"):
        chosen = resolve("auto")
    assert chosen in ("lite", "cosyvoice-300m-sft-fast", "cosyvoice-300m-sft")
    assert f"model {chosen}: " in caplog.text
    assert "cores" in caplog.text


def test_any_other_name_stays():
    assert resolve("lite") == "lite"


def system(tmp_path, **files):
    for name, content in files.items():
        path = tmp_path / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return read_device(tmp_path)


def test_memory_and_flags_of_x86_are_read(tmp_path):
    cpu = "processor : 0\nflags\t\t: fpu avx2 sse\n\nprocessor : 1\nflags : none\n"
    device = system(
        tmp_path, proc__meminfo="MemTotal:  4096 kB\nMemFree: 1 kB\n", proc__cpuinfo=cpu
    )
    assert device.memory == 4 << 20
    assert device.flags == {"fpu", "avx2", "sse"}
    assert device.cores >= 1


def test_flags_of_arm_are_read(tmp_path):
    assert "asimddp" in system(tmp_path, proc__cpuinfo="Features\t: fp asimd asimddp\n").flags


@pytest.mark.parametrize(("limit", "memory"), [("1048576", 1 << 20), ("max", 4 << 20)])
def test_a_container_s_limit_counts(tmp_path, limit, memory):
    device = system(
        tmp_path, proc__meminfo="MemTotal: 4096 kB\n", **{"sys__fs__cgroup__memory.max": limit}
    )
    assert device.memory == memory


def test_a_system_that_says_nothing_gets_the_embedded_model(tmp_path):
    assert choose(read_device(tmp_path)).model == "lite"
