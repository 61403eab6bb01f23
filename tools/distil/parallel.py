"""Several processes that train one decoder: each its own crops, all the same weights."""

from __future__ import annotations

import multiprocessing
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.distributed
from torch import nn


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """What the team does after a step: the same in every process."""

    rate: float
    stop: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """One process (number `rank`) among `size`; the first one reports and saves."""

    rank: int = 0
    size: int = 1

    def agree(self, decoder: nn.Module, *, rate: float, stop: bool) -> Agreement:
        """Average the gradients and the learning rate; stop where anyone wants to.

        The rates come from clocks and differ a little, which would let the weights drift apart.
        """
        if self.size == 1:
            return Agreement(rate=rate, stop=stop)
        gradients = [weight.grad for weight in decoder.parameters() if weight.grad is not None]
        wishes = torch.tensor([rate, float(stop)])
        shared = torch.cat([wishes, *(gradient.flatten() for gradient in gradients)])
        torch.distributed.all_reduce(shared)
        shared /= self.size
        parts = shared[2:].split([gradient.numel() for gradient in gradients])
        for gradient, part in zip(gradients, parts, strict=True):
            gradient.copy_(part.view_as(gradient))
        return Agreement(rate=float(shared[0]), stop=bool(shared[1] > 0))


def run_team(size: int, work: Callable[[Team], None]) -> None:
    """Call `work` in `size` processes, this one the first; they end together."""
    if size == 1:
        work(Team())
        return
    with tempfile.TemporaryDirectory() as folder:
        meeting = Path(folder) / "meeting"
        spawn = multiprocessing.get_context("spawn")
        others = [
            spawn.Process(target=_join, args=(rank, size, meeting, work), daemon=True)
            for rank in range(1, size)
        ]
        for process in others:
            process.start()
        _join(0, size, meeting, work)
        for process in others:
            process.join()


def _join(rank: int, size: int, meeting: Path, work: Callable[[Team], None]) -> None:
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{meeting}", rank=rank, world_size=size
    )
    work(Team(rank=rank, size=size))
    torch.distributed.destroy_process_group()
