from __future__ import annotations

import sys

import numpy as np
import pytest

from cosyvoice_wyoming import machine
from cosyvoice_wyoming.engine.cosyvoice.huge_pages import anonymous_areas, use_huge_pages
from cosyvoice_wyoming.engine.cosyvoice.large_blocks import keep_large_blocks_apart

MAPS = """\
55d000000000-55d010000000 r-xp 00000000 fe:00 1 /usr/bin/python3
55d020000000-55d030000000 rw-p 00000000 00:00 0 [heap]
7f0000100000-7f0001100000 rw-p 00000000 00:00 0
7f0002000000-7f0002300000 rw-p 00000000 00:00 0
7f0003000000-7f0004000000 r--p 00000000 00:00 0
7f0005000000-7f0006000000 rw-p 00000000 fe:00 2 /data/positions.npy
7ffc00000000-7ffc01000000 rw-p 00000000 00:00 0 [stack]
"""


def test_large_private_areas_are_cut_to_whole_pages():
    assert list(anonymous_areas(MAPS.splitlines())) == [
        (0x55D020000000, 0x10000000),
        (0x7F0000200000, 0xE00000),
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has them")
def test_what_is_in_memory_stays():
    values = np.arange(4 << 20, dtype=np.float32)
    use_huge_pages()
    np.testing.assert_array_equal(values, np.arange(4 << 20, dtype=np.float32))


@pytest.mark.skipif(sys.platform != "linux", reason="glibc and /proc")
def test_large_blocks_go_back_to_the_system_when_they_are_freed():
    keep_large_blocks_apart()
    np.ones(24 << 20, np.uint8)  # would raise the threshold above the next ones
    before = machine.resident_bytes()
    blocks = [np.ones(8 << 20, np.uint8) for _ in range(8)]
    held = blocks[-1:]
    del blocks
    assert machine.resident_bytes() - before < 24 << 20
    assert held
