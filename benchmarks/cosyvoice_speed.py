"""How fast CosyVoice speaks here: real-time factor, first sound, memory, and the estimate's error.

    python benchmarks/cosyvoice_speed.py --data DIR [--threads N] [--presets a,b] [--tokens 60,250]

Weights are synthetic (DIR keeps them: 5 GB); speed does not depend on their values. Run it on an
idle machine. "official" is `exact` written the original's way, which projects the positions of
all rows in every layer at every step. Each row is a process of its own, so that memory is its own.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from cosyvoice_model import load, prepare, tokens_of_length

from cosyvoice_wyoming.engine.cosyvoice.ahead import TokensAhead
from cosyvoice_wyoming.engine.cosyvoice.draws import SeededDraws
from cosyvoice_wyoming.engine.cosyvoice.estimate import estimate
from cosyvoice_wyoming.engine.cosyvoice.presets import PRESETS
from cosyvoice_wyoming.engine.cosyvoice.selftest import measure
from cosyvoice_wyoming.engine.cosyvoice.streaming import decode, open_stream
from cosyvoice_wyoming.engine.cosyvoice.synthesis import Identity, Model

SAMPLE_RATE = 22050


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--presets", default="official,exact,balanced,fast")
    parser.add_argument("--tokens", default="60,250", help="lengths of the sentences, 50 a second")
    parser.add_argument("--requests", type=int, default=50, help="for the growth of memory")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure_one(arguments)))
        return
    prepare(arguments.data)
    rows = [run_apart(name, arguments) for name in arguments.presets.split(",")]
    report(rows)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")


def run_apart(name: str, arguments: argparse.Namespace) -> dict[str, Any]:
    command = [sys.executable, __file__, "--one", name, "--data", str(arguments.data)]
    command += ["--threads", str(arguments.threads), "--requests", str(arguments.requests)]
    command += ["--tokens", arguments.tokens]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603  ourselves
    row: dict[str, Any] = json.loads(done.stdout)
    return row


def measure_one(arguments: argparse.Namespace) -> dict[str, Any]:
    name, threads = arguments.one, arguments.threads
    began = time.perf_counter()
    model, speaker = load(arguments.data, name, threads)
    row: dict[str, Any] = {"preset": name, "load": time.perf_counter() - began}
    speak(model, speaker, 20)
    for count in map(int, arguments.tokens.split(",")):
        first, seconds, cpu = speak(model, speaker, count)
        audio = count / 50
        row[f"first_{count}"] = first
        row[f"rtf_{count}"] = seconds / audio
        row[f"cpu_{count}"] = cpu / audio
    row["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if name in ("balanced", "fast") and arguments.requests:
        row["growth_mb"] = growth(model, speaker, arguments.requests)
    row["load_average"] = os.getloadavg()[0]
    del model
    if name in PRESETS:
        guess = estimate(name, measure(PRESETS[name].precision, threads), ids=20, tokens=250)
        row |= {"estimated_rtf": guess.rtf, "estimated_first": guess.first_audio}
    return row


def speak(model: Model, speaker: Identity, count: int) -> tuple[float, float, float]:
    """Return seconds to the first sound, seconds in all, seconds of processor time."""
    draws = SeededDraws(count)
    began, cpu, first = time.perf_counter(), time.process_time(), 0.0
    stream = open_stream(model.decoder, model.preset, speaker.mel, draws, 1.0)
    with TokensAhead(tokens_of_length(model, speaker, count, draws)) as tokens:
        for piece in decode(stream, tokens, model.preset):
            if len(piece) and not first:
                first = time.perf_counter() - began
    return first, time.perf_counter() - began, time.process_time() - cpu


def growth(model: Model, speaker: Identity, requests: int) -> float:
    """Return by how many MB the memory in use grew over `requests`, after the first ten."""
    start = 0.0
    for number in range(requests + 10):
        if number == 10:  # noqa: PLR2004  lengths repeat from here on
            start = resident_mb()
        speak(model, speaker, 15 + number % 10 * 6)
    return resident_mb() - start


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def report(rows: list[dict[str, Any]]) -> None:
    columns = [*dict.fromkeys(key for row in rows for key in row)]
    print("| " + " | ".join(columns) + " |")
    print("|" + "---|" * len(columns))
    for row in rows:
        cells = [row.get(key, "") for key in columns]
        print(
            "| " + " | ".join(f"{c:.2f}" if isinstance(c, float) else str(c) for c in cells) + " |"
        )
    by_name = {row["preset"]: row for row in rows}
    if {"official", "balanced"} <= set(by_name):
        for column in filter(lambda key: key.startswith("rtf_"), columns):
            ratio = by_name["official"][column] / by_name["balanced"][column]
            print(f"balanced is {ratio:.1f} times as fast as official ({column})")


if __name__ == "__main__":
    main()
