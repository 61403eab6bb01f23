"""What both trainings do alike: the clock of a run, its falling rate, averaged weights, its log."""

from __future__ import annotations

import json
import math
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import torch
from torch import nn

LAST_RATE = 0.02
"""Part of the learning rate that the cosine ends at."""


def next_time(clock: str) -> float:
    """Return the next moment (seconds since the epoch) at which the clock shows HH:MM."""
    now = datetime.now().astimezone()
    hour, minute = (int(part) for part in clock.split(":"))
    then = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
    return (then if then > now else then + timedelta(days=1)).timestamp()


def falling(started: float, until: float) -> float:
    """Return the part of the learning rate that is left at this moment, from 1 to LAST_RATE."""
    progress = min(1.0, (time.time() - started) / (until - started))
    return LAST_RATE + (1 - LAST_RATE) * 0.5 * (1 + math.cos(math.pi * progress))


@torch.no_grad()
def move(average: nn.Module, network: nn.Module, decay: float) -> None:
    """Move averaged weights towards the trained ones; they keep the part `decay` of themselves."""
    for kept, fresh in zip(average.parameters(), network.parameters(), strict=True):
        kept.lerp_(fresh, 1 - decay)


def record(folder: Path, row: dict[str, Any]) -> None:
    """Append a line to the log of a run and print it."""
    with (folder / "log.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")
    print(row, flush=True)
