"""Train the context network to write what the teacher's does, until a time of day.

    python train_context.py work/context work/context-run --until 23:55

Errors count as the first layer after the network hears them: through the input weights of the
LSTM that reads the context. Started again with the same folder it goes on from its last
checkpoint; SIGTERM leaves one. Files that arrive meanwhile are taken in.
"""

from __future__ import annotations

import argparse
import itertools
import math
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
import torch
from checkpoint import save
from context import CONTEXT_CHANNELS, Context, Shape
from onnx import numpy_helper
from torch import Tensor
from training import falling, move, next_time, record

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEED = 1
BATCH_TOKENS = 1200
"""Tokens of a batch, fillers included."""
_SORTED_TOGETHER = 2000
RATE = 1.2e-3
WARM_UP_STEPS = 200
LONGEST_AVERAGE = 0.999
CLIP = 1.0
REPORT_SECONDS = 120
HELD_OUT = "000.npz"
"""The file that is never trained on."""
_HELD_OUT_UTTERANCES = 200
_READER = "/encoder/predictor/text_encoder/lstms.0/LSTM_quant"
_SOFT = 1e-4


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """An utterance: tokens [N] and the teacher's context [N, 512]."""

    tokens: NDArray[np.uint8]
    context: NDArray[np.float16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """B utterances filled up to the longest: tokens, real ones [B, N], context [B, N, 512]."""

    tokens: Tensor
    real: Tensor
    context: Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class Hearing:
    """How errors [.., 512] are heard: times `weights` they have the length of the LSTM's input.

    `power` is the mean squared length of the held-out contexts about their `mean`.
    """

    weights: Tensor
    mean: Tensor
    power: float

    def errors(self, found: Tensor, expected: Tensor) -> Tensor:
        """Return each token's squared error as a part of `power`."""
        return ((found - expected) @ self.weights).square().sum(-1) / self.power


@dataclass(slots=True)
class Run:
    """What a checkpoint holds."""

    network: Context
    average: Context
    optimizer: torch.optim.AdamW
    started: float
    until: float
    step: int = 0
    tokens: int = 0
    errors: list[float] = field(default_factory=list)

    def learning_rate(self) -> float:
        warmth = min(1.0, (self.step + 1) / WARM_UP_STEPS)
        return RATE * falling(self.started, self.until) * warmth

    def state(self) -> dict[str, Any]:
        return {
            "shape": asdict(self.network.shape),
            "network": self.network.state_dict(),
            "average": self.average.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "step": self.step,
            "tokens": self.tokens,
            "started": self.started,
        }


class Readings:
    """All files under a folder but the one that is held out."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: set[Path] = set()
        self._readings: list[Reading] = []
        self._draw = np.random.default_rng(SEED)

    def batches(self) -> Iterator[Batch]:
        """Draw batches without end: everything once in a new order, then what has come since."""
        while True:
            self._refresh()
            order = self._draw.permutation(len(self._readings))
            for begin in range(0, len(order), _SORTED_TOGETHER):
                chunk = [self._readings[i] for i in order[begin : begin + _SORTED_TOGETHER]]
                batches = filled(sorted(chunk, key=lambda reading: len(reading.tokens)))
                for number in self._draw.permutation(len(batches)):
                    yield stack(batches[number])

    def _refresh(self) -> None:
        for path in sorted(self._folder.glob("*.npz")):
            if path.name != HELD_OUT and path not in self._known:
                self._known.add(path)
                self._readings += load(path)


def main() -> None:
    """Train until the time is up."""
    parser = argparse.ArgumentParser(description="Train the context network")
    parser.add_argument("readings", type=Path)
    parser.add_argument("run", type=Path)
    parser.add_argument("--bundle", type=Path, default=Path("../../data/models/lite-hq"))
    parser.add_argument("--width", type=int, default=Shape().width)
    parser.add_argument("--until", required=True, help="time of day, HH:MM")
    arguments = parser.parse_args()
    arguments.run.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    held_out = load(arguments.readings / HELD_OUT)[:_HELD_OUT_UTTERANCES]
    hearing = hear(arguments.bundle / "encoder.onnx", held_out)
    run = begin(arguments, hearing)
    stopping = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    next_report = time.time() + REPORT_SECONDS
    for batch in Readings(arguments.readings).batches():
        learn(run, batch, hearing)
        done = stopping.is_set() or time.time() >= run.until
        if done or time.time() >= next_report:
            report(run, held_out, hearing, arguments.run)
            next_report = time.time() + REPORT_SECONDS
        if done:
            return


def load(path: Path) -> list[Reading]:
    """Read a file that teach_context.py wrote."""
    with np.load(path) as file:
        tokens, context, begins = file["tokens"], file["context"], file["begins"]
    return [
        Reading(tokens=tokens[first:last], context=context[first:last])
        for first, last in itertools.pairwise(begins)
    ]


def filled(readings: list[Reading]) -> list[list[Reading]]:
    """Cut readings, the shortest first, into batches of BATCH_TOKENS."""
    batches: list[list[Reading]] = [[]]
    for reading in readings:
        if batches[-1] and len(reading.tokens) * (len(batches[-1]) + 1) > BATCH_TOKENS:
            batches.append([])
        batches[-1].append(reading)
    return batches


def stack(readings: list[Reading]) -> Batch:
    """Fill the readings up to the longest of them."""
    longest = max(len(reading.tokens) for reading in readings)
    tokens = torch.zeros(len(readings), longest, dtype=torch.long)
    real = torch.zeros(len(readings), longest, dtype=torch.bool)
    context = torch.zeros(len(readings), longest, CONTEXT_CHANNELS)
    for row, reading in enumerate(readings):
        count = len(reading.tokens)
        tokens[row, :count] = torch.from_numpy(reading.tokens.astype(np.int64))
        real[row, :count] = True
        context[row, :count] = torch.from_numpy(reading.context.astype(np.float32))
    return Batch(tokens=tokens, real=real, context=context)


def hear(encoder: Path, readings: list[Reading]) -> Hearing:
    """Read the LSTM's input weights [2, 640, 1024], of which the first 512 rows meet the context.

    They are squared up to the root of their Gram matrix, 512 columns in place of 2048.
    """
    graph = onnx.load(encoder).graph
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    node = next(node for node in graph.node if node.name == _READER)
    scale, zero = (constants[node.input[place]].astype(np.float32) for place in (8, 9))
    rows = constants[node.input[1]][:, :CONTEXT_CHANNELS].astype(np.float32)
    rows = (rows - zero[:, None, None]) * scale[:, None, None]
    weights = rows.transpose(1, 0, 2).reshape(CONTEXT_CHANNELS, -1)
    squares, directions = np.linalg.eigh(weights @ weights.T)
    root = torch.from_numpy(directions * np.sqrt(np.maximum(squares, 0)))
    contexts = torch.from_numpy(np.concatenate([r.context for r in readings]).astype(np.float32))
    mean = contexts.mean(0)
    power = float(((contexts - mean) @ root).square().sum(-1).mean())
    return Hearing(weights=root, mean=mean, power=power)


def begin(arguments: argparse.Namespace, hearing: Hearing) -> Run:
    """Return a fresh run, or the one that the folder's checkpoint continues."""
    torch.manual_seed(SEED)
    last = arguments.run / "last.pt"
    state = torch.load(last, weights_only=True) if last.exists() else None
    shape = Shape(**state["shape"]) if state else Shape(width=arguments.width)
    network, average = Context(shape), Context(shape)
    if state:
        network.load_state_dict(state["network"])
        average.load_state_dict(state["average"])
    else:
        with torch.no_grad():
            network.write.bias.copy_(hearing.mean)
        average.load_state_dict(network.state_dict())
    optimizer = torch.optim.AdamW(network.parameters(), RATE, betas=(0.9, 0.98), weight_decay=0.01)
    if state:
        optimizer.load_state_dict(state["optimizer"])
    return Run(
        network=network,
        average=average.requires_grad_(requires_grad=False).eval(),
        optimizer=optimizer,
        started=state["started"] if state else time.time(),
        until=next_time(arguments.until),
        step=state["step"] if state else 0,
        tokens=state["tokens"] if state else 0,
    )


def learn(run: Run, batch: Batch, hearing: Hearing) -> None:
    """Take a step. The loss is the length of errors, not its square: odd tokens do not rule it."""
    for group in run.optimizer.param_groups:
        group["lr"] = run.learning_rate()
    with torch.autocast("cpu", torch.bfloat16):
        found = run.network(batch.tokens, batch.real)
    errors = hearing.errors(found.float(), batch.context)[batch.real]
    run.optimizer.zero_grad(set_to_none=True)
    (errors + _SOFT).sqrt().mean().backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(run.network.parameters(), CLIP)
    run.optimizer.step()
    move(run.average, run.network, min(LONGEST_AVERAGE, run.step / (run.step + 50)))
    run.errors.append(float(errors.detach().mean()))
    run.tokens += int(batch.real.sum())
    run.step += 1


def report(run: Run, held_out: list[Reading], hearing: Hearing, folder: Path) -> None:
    """Log the relative errors while training and on what is held out; leave a checkpoint."""
    row = {
        "step": run.step,
        "tokens": run.tokens,
        "rate": run.learning_rate(),
        "training": round(math.sqrt(np.mean(run.errors)), 4),
        "held_out": round(relative_error(run.average, held_out, hearing), 4),
    }
    run.errors.clear()
    record(folder, row)
    save(folder / "last.pt", run.state())


def relative_error(network: Context, readings: list[Reading], hearing: Hearing) -> float:
    """Return the RMS of what is heard of the errors, over that of the contexts themselves."""
    with torch.no_grad():
        errors = [
            hearing.errors(
                network(torch.from_numpy(reading.tokens.astype(np.int64))[None])[0],
                torch.from_numpy(reading.context.astype(np.float32)),
            )
            for reading in readings
        ]
    return float(torch.cat(errors).mean().sqrt())


if __name__ == "__main__":
    main()
