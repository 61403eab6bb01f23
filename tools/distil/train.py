"""Train the decoder on the teacher's lessons, from a warm start, until a time of day.

    python train.py work/data work/run --warm-start pilot.pt --until 23:55

Started again with the same folder it goes on from its last checkpoint; SIGTERM leaves one, SIGKILL
costs at most ten minutes. Lessons that arrive meanwhile are taken in. The learning rate falls along
a cosine to the time given, so a pause of the process costs steps but never the schedule's end.
"""

from __future__ import annotations

import argparse
import signal
import threading
import time
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from checkpoint import load_decoder, save
from decoder import Decoder, Shape
from depth import Comb, comb, depth_distance
from lessons import Batch, Lessons, Utterance
from losses import drawn_weights, energy_distance
from metrics import harmonic_depths, mel_rmse
from parallel import Team, run_team
from torch import Tensor
from training import falling, move, next_time, record

SEED = 1
BATCH = 6
AVERAGE_DECAY = 0.998
WARM_UP_STEPS = 60
CLIP = 5.0
CHECKPOINT_SECONDS = 600
VALIDATION_SECONDS = 600
VALIDATION_UTTERANCES = 24


@dataclass(slots=True)
class Run:
    """A training run: what a checkpoint holds, and the clock of its schedule."""

    decoder: Decoder
    average: Decoder
    optimizer: torch.optim.AdamW
    rate: float
    started: float
    until: float
    step: int = 0
    bfloat16: bool = False
    depth: float = 0.0
    losses: list[float] = field(default_factory=list)

    def learning_rate(self) -> float:
        """Return the rate of this moment and step."""
        warmth = min(1.0, (self.step + 1) / WARM_UP_STEPS)
        return self.rate * falling(self.started, self.until) * warmth

    def state(self) -> dict[str, Any]:
        """Return everything that a kill must not lose."""
        return {
            "shape": asdict(self.decoder.shape),
            "decoder": self.decoder.state_dict(),
            "average": self.average.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "step": self.step,
            "started": self.started,
        }


def main() -> None:
    """Train until the time is up."""
    parser = argparse.ArgumentParser(description="Train the decoder on the teacher's lessons")
    parser.add_argument("lessons", type=Path)
    parser.add_argument("run", type=Path)
    parser.add_argument("--warm-start", type=Path, help="weights to begin with")
    parser.add_argument("--width", type=int, default=256, help="without a warm start")
    parser.add_argument("--rate", type=float, default=8e-4)
    parser.add_argument(
        "--depth", type=float, default=0.05, help="weight of a dB of harmonic depth in the loss"
    )
    parser.add_argument("--until", required=True, help="time of day, HH:MM")
    parser.add_argument("--workers", type=int, default=1, help="processes of one thread each")
    parser.add_argument(
        "--bfloat16",
        action="store_true",
        help="the body in bfloat16: on CPUs with instructions for it",
    )
    arguments = parser.parse_args()
    arguments.run.mkdir(parents=True, exist_ok=True)
    run_team(arguments.workers, partial(work, arguments))


def work(arguments: argparse.Namespace, team: Team) -> None:
    """Train as one of the team."""
    torch.set_num_threads(1)
    run = begin(arguments)
    seed = SEED + run.step + 1_000_003 * team.rank
    torch.manual_seed(seed)
    lessons = Lessons(arguments.lessons, seed)
    print(
        f"worker {team.rank}: step {run.step}, {lessons.minutes:.1f} minutes of audio", flush=True
    )
    train(run, lessons, arguments.run, team)


def begin(arguments: argparse.Namespace) -> Run:
    """Return a fresh run, or the one that the folder's checkpoint continues."""
    last = arguments.run / "last.pt"
    state = torch.load(last, weights_only=True) if last.exists() else None
    if state:
        decoder = Decoder(Shape(**state["shape"]))
        decoder.load_state_dict(state["decoder"])
        average = load_decoder(last)
    elif arguments.warm_start:
        decoder, average = load_decoder(arguments.warm_start), load_decoder(arguments.warm_start)
    else:
        decoder = Decoder(Shape(width=arguments.width))
        average = Decoder(decoder.shape)
        average.load_state_dict(decoder.state_dict())
    optimizer = torch.optim.AdamW(
        decoder.parameters(), arguments.rate, betas=(0.8, 0.99), weight_decay=0.01
    )
    if state:
        optimizer.load_state_dict(state["optimizer"])
    return Run(
        decoder=decoder,
        average=average.requires_grad_(requires_grad=False),
        optimizer=optimizer,
        rate=arguments.rate,
        started=state["started"] if state else time.time(),
        until=next_time(arguments.until),
        step=state["step"] if state else 0,
        bfloat16=arguments.bfloat16,
        depth=arguments.depth,
    )


def train(run: Run, lessons: Lessons, folder: Path, team: Team) -> None:
    """Take steps until it is time; the first of the team validates and saves now and then."""
    stopping = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    next_refresh = next_save = time.time() + CHECKPOINT_SECONDS
    next_report = time.time() + (VALIDATION_SECONDS if run.step else 0)
    stop = False
    while not stop:
        if time.time() >= next_refresh:
            lessons.refresh()
            next_refresh = time.time() + VALIDATION_SECONDS
        if team.rank == 0 and time.time() >= next_report:
            report(run, lessons, folder)
            next_report = time.time() + VALIDATION_SECONDS
        if team.rank == 0 and time.time() >= next_save:
            save(folder / "last.pt", run.state())
            next_save = time.time() + CHECKPOINT_SECONDS
        late = time.time() >= run.until
        stop = step(run, lessons.batch(BATCH // team.size), team, stop=late or stopping.is_set())
    if team.rank == 0:
        report(run, lessons, folder)
        save(folder / "last.pt", run.state())


def step(run: Run, batch: Batch, team: Team, *, stop: bool) -> bool:
    """Learn from one batch; tell whether anyone of the team wants to stop."""
    inputs = {name: torch.from_numpy(getattr(batch, name)) for name in Batch.__dataclass_fields__}
    loss = batch_loss(run, inputs, comb(batch))
    run.optimizer.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    agreed = team.agree(run.decoder, rate=run.learning_rate(), stop=stop)
    for group in run.optimizer.param_groups:
        group["lr"] = agreed.rate
    norm = torch.nn.utils.clip_grad_norm_(run.decoder.parameters(), CLIP)
    if torch.isfinite(norm):
        run.optimizer.step()
        # faster in the first steps
        move(run.average, run.decoder, min(AVERAGE_DECAY, (1 + run.step) / (10 + run.step)))
    run.losses.append(float(loss.detach()))
    run.step += 1
    return agreed.stop


def batch_loss(run: Run, inputs: dict[str, Tensor], where: Comb) -> Tensor:
    """Return the energy distance of two noise draws through one pass of the body, and the depth's.

    With `bfloat16` the body's products are; what it writes, the (i)STFT and the loss stay float32.
    """
    with torch.autocast("cpu", torch.bfloat16, enabled=run.bfloat16):
        filters = run.decoder.filters(inputs["acoustic"], inputs["prosody"], inputs["style"])
    filters = filters.float()
    noise = torch.randn(2, *inputs["audio"].shape) * inputs["breath"]
    draws = run.decoder.synthesise_draws(filters, inputs["pulses"], noise) * inputs["heard"]
    teacher = inputs["audio"] * inputs["heard"]
    loss = energy_distance(teacher, draws.flatten(0, 1), drawn_weights())
    if run.depth:
        loss = loss + run.depth * depth_distance(teacher, draws[0], where)
    return loss


def report(run: Run, lessons: Lessons, folder: Path) -> None:
    """Append a line on the held-out utterances to log.jsonl and print it."""
    chosen = choose_validation(lessons.validation)
    row = {
        "step": run.step,
        "minutes": round((time.time() - run.started) / 60, 1),
        "audio_minutes": round(lessons.minutes, 1),
        "rate": run.learning_rate(),
        "loss": round(float(np.mean(run.losses)), 4) if run.losses else None,
        **validate(run.average, chosen),
    }
    run.losses.clear()
    record(folder, row)


def choose_validation(utterances: list[Utterance]) -> list[Utterance]:
    """Return the same few utterances each time: the first two of every voice."""
    taken: dict[str, int] = {}
    chosen = []
    for utterance in utterances:
        taken[utterance.voice] = taken.get(utterance.voice, 0) + 1
        if taken[utterance.voice] <= VALIDATION_UTTERANCES // 12:
            chosen.append(utterance)
    return chosen


@torch.no_grad()
def validate(decoder: Decoder, utterances: list[Utterance]) -> dict[str, Any]:
    """Return mel RMSE (dB, mean and by voice) and harmonic depth of teacher and student (dB)."""
    generator = torch.Generator().manual_seed(0)
    by_voice: dict[str, list[float]] = {}
    depths: dict[str, list[Any]] = {"teacher": [], "student": []}
    for utterance in utterances:
        student = speak(decoder, utterance, generator)
        teacher = utterance.waveform
        by_voice.setdefault(utterance.voice, []).append(mel_rmse(teacher, student))
        depths["teacher"].append(harmonic_depths(teacher, utterance.f0))
        depths["student"].append(harmonic_depths(student, utterance.f0))
    voices = {voice: round(float(np.mean(found)), 2) for voice, found in sorted(by_voice.items())}
    return {
        "mel_rmse": round(float(np.mean(list(voices.values()))), 3) if voices else None,
        "voices": voices,
        **{
            f"depth_{who}": np.nanmean(np.concatenate(rows), axis=0).round(2).tolist()
            for who, rows in depths.items()
            if rows
        },
    }


def speak(
    decoder: Decoder, utterance: Utterance, generator: torch.Generator
) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Return the student's waveform of a whole utterance."""
    noise = torch.randn(len(utterance.pulses), generator=generator)
    samples = decoder(
        torch.from_numpy(utterance.acoustic.astype(np.float32))[None],
        torch.from_numpy(utterance.prosody)[None],
        torch.from_numpy(utterance.style)[None],
        torch.from_numpy(utterance.pulses.astype(np.float32))[None],
        (noise * torch.from_numpy(utterance.breath.astype(np.float32)))[None],
    )
    return samples[0].numpy()


if __name__ == "__main__":
    main()
