from __future__ import annotations

import pytest

from cosyvoice_wyoming.engine.kokoro.memory import free_memory

GIB = 1 << 30


@pytest.fixture
def host(tmp_path):
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/meminfo").write_text(
        "MemTotal:        4000000 kB\nMemAvailable:    3145728 kB\nHugePages_Total:  0\n"
    )
    return tmp_path


def limit(host, maximum, current, inactive=0):
    group = host / "sys/fs/cgroup"
    group.mkdir(parents=True)
    (group / "memory.max").write_text(f"{maximum}\n")
    (group / "memory.current").write_text(f"{current}\n")
    (group / "memory.stat").write_text(f"anon 5\ninactive_file {inactive}\n")


def test_without_a_container_it_is_what_the_host_has(host):
    assert free_memory(host) == 3 * GIB


def test_a_container_limits_it_and_its_page_cache_gives_way(host):
    limit(host, GIB, GIB // 2, inactive=GIB // 4)
    assert free_memory(host) == 3 * GIB // 4


def test_a_container_without_a_limit_limits_nothing(host):
    limit(host, "max", GIB // 2)
    assert free_memory(host) == 3 * GIB


def test_a_system_that_says_nothing_is_taken_as_large(tmp_path):
    assert free_memory(tmp_path) > 1 << 40
