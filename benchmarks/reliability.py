"""Strain a server of our own and print what must hold, with the figure of each.

    .venv/bin/python benchmarks/reliability.py [--data-dir data] [--json FILE] [--quick]

Takes about five minutes; needs a quiet machine to mean anything: the load before is printed.
"""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import json
import os
import platform
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import strain
from observe import Figure, Plan

SCENARIOS: tuple[Callable[[Plan], Awaitable[list[Figure]]], ...] = (
    strain.isolation_costs,
    strain.phrases_come_at_once,
    strain.killed_in_mid_speech,
    strain.barge_in,
    strain.slow_and_fast_readers,
    strain.random_disconnects,
    strain.many_mixed_requests,
    strain.describe_under_load,
    strain.stopped_under_load,
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", default="data", help="folder with the model's bundle")
    parser.add_argument("--model", default="lite")
    parser.add_argument("--json", type=Path, help="write the figures there as well")
    parser.add_argument("--quick", action="store_true", help="a tenth of everything: does it run?")
    parser.add_argument("--only", default="", help="only scenarios with this in their name")
    args = parser.parse_args()
    plan = Plan(data_dir=args.data_dir, model=args.model, quick=args.quick)
    load = os.getloadavg()[0]
    figures = asyncio.run(_all(plan, args.only))
    print(f"\n{platform.machine()}, {os.cpu_count()} cores, load average before {load:.2f}")
    if args.json:
        _write(args.json, figures, load)
    return 0 if all(figure.holds for figure in figures) else 1


async def _all(plan: Plan, only: str) -> list[Figure]:
    figures: list[Figure] = []
    for scenario in SCENARIOS:
        if only not in scenario.__name__:
            continue
        began = time.monotonic()
        print(f"{scenario.__name__.replace('_', ' ')} ...", file=sys.stderr)
        for figure in await scenario(plan):
            print(figure)
            figures.append(figure)
        print(f"  {time.monotonic() - began:.0f} s", file=sys.stderr)
    return figures


def _write(path: Path, figures: list[Figure], load: float) -> None:
    content = {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "load_before": load,
        "figures": [dataclasses.asdict(figure) | {"holds": figure.holds} for figure in figures],
    }
    path.write_text(json.dumps(content, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
