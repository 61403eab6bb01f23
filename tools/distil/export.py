"""Write a checkpoint as ONNX in 8 bits and prove that ONNX Runtime computes what it should.

python export.py work/run/last.pt work/data work/decoder.onnx
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path

import numpy as np
import onnx
import torch
from card import write_card
from checkpoint import load_decoder
from decoder import (
    ACOUSTIC_CHANNELS,
    ACOUSTIC_HOP,
    CONTEXT,
    STYLE_CHANNELS,
    Decoder,
    Filters,
)
from numpy.typing import NDArray
from onnx import helper, numpy_helper
from quantise import quantise
from teach import SAMPLE_RATE, VOICES

from cosyvoice_wyoming.engine.kokoro.filters import BINS, HOP, N_FFT, filtered
from cosyvoice_wyoming.engine.kokoro.session import Session

INPUTS = ["acoustic", "prosody", "style"]
_FRAMES = 60
_WINDOW = 20
_ALLOWED = {"torch": 1e-4, "windows": 1e-5}
"""Of the float graph from PyTorch, and of windows from the whole in the graph that is left."""

Feed = dict[str, NDArray[np.float32]]


def main() -> None:
    """Export, check, report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("lessons", type=Path, help="whose held-out ones give the ranges of 8 bits")
    parser.add_argument("onnx", type=Path)
    parser.add_argument(
        "--calm", type=float, default=0.0, help="dB of noise to take out below 2 kHz"
    )
    arguments = parser.parse_args()
    decoder = rounded(calmed(load_decoder(arguments.checkpoint), arguments.calm))
    export(decoder, arguments.onnx)
    check(decoder, arguments.onnx, "torch")
    quantise(arguments.onnx, arguments.lessons)
    halve(arguments.onnx)
    check(decoder, arguments.onnx, "windows")
    describe(decoder, arguments.onnx)


def calmed(decoder: Decoder, decibels: float) -> Decoder:
    """Return the decoder with less noise below 2 kHz, fading to no change at 3.5 kHz.

    A decoder that is not trained out hides what it does not know of low harmonics in noise, and
    sounds breathy. How much to take out is read off the held-out lessons, never the unseen ones.
    """
    bins_hz = torch.arange(BINS) * SAMPLE_RATE / N_FFT
    share = ((3500 - bins_hz) / 1500).clamp(0, 1)
    with torch.no_grad():
        decoder.write.bias.view(2, 3, BINS)[:, 2] -= share * decibels / (20 / math.log(10))
    return decoder


def rounded(decoder: Decoder) -> Decoder:
    """Return the decoder with every weight rounded to what float16 can hold."""
    with torch.no_grad():
        for weight in decoder.parameters():
            weight.copy_(weight.half().float())
    return decoder


def export(decoder: Decoder, path: Path) -> None:
    """Write the graph; the number of frames is free, the batch is one."""
    torch.onnx.export(
        Filters(decoder).eval(),
        tuple(torch.from_numpy(random_feed(_FRAMES)[name]) for name in INPUTS),
        str(path),
        input_names=INPUTS,
        output_names=["filters"],
        dynamic_axes={
            "acoustic": {2: "frames"},
            "prosody": {2: "pitch_frames"},
            "filters": {1: "filter_frames"},
        },
        opset_version=17,
        dynamo=False,
    )


def halve(path: Path) -> None:
    """Store what is float as float16; ONNX Runtime widens it once, when it loads the graph."""
    model = onnx.load(path)
    graph = model.graph
    casts = []
    for tensor in graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or not _is_weight(values):
            continue
        name = tensor.name
        tensor.CopyFrom(numpy_helper.from_array(values.astype(np.float16), name + "_half"))
        casts.append(helper.make_node("Cast", [name + "_half"], [name], to=onnx.TensorProto.FLOAT))
    for node in reversed(casts):
        graph.node.insert(0, node)
    onnx.checker.check_model(model)
    onnx.save(model, path)


def _is_weight(values: NDArray[np.float32]) -> bool:
    """Tell whether float16 holds the values exactly, as it does the rounded weights."""
    return bool((values.astype(np.float16).astype(np.float32) == values).all())


def check(decoder: Decoder, path: Path, what: str) -> None:
    """Raise SystemExit where `what` differs: ONNX Runtime from PyTorch, or windows from the whole.

    The other difference is printed as well.
    """
    session = Session(path, threads=1)
    feed = random_feed(173)
    whole = windowed(session, feed, 0, 173)
    with torch.no_grad():
        expected = decoder(*(torch.from_numpy(value) for value in feed.values()))[0].numpy()
    pieces = [windowed(session, feed, start, start + _WINDOW) for start in range(0, 173, _WINDOW)]
    found = {
        "torch": float(np.abs(whole - expected).max()),
        "windows": float(np.abs(whole - np.concatenate(pieces)).max()),
    }
    size = path.stat().st_size / 1e6
    print(f"{path.name}: {size:.1f} MB, peak {np.abs(whole).max():.2f}, max difference {found}")
    if found[what] > _ALLOWED[what]:
        raise SystemExit(f"{what}: differs by {found[what]:.1e}, allowed is {_ALLOWED[what]:.0e}")


def describe(decoder: Decoder, path: Path) -> None:
    """Write `decoder.toml` beside the graph: what the package needs to know to run it."""
    weights = sum(weight.numel() for weight in decoder.parameters())
    facts = [
        f"sample_rate = {SAMPLE_RATE}",
        f"frame_samples = {ACOUSTIC_HOP}",
        f"context_frames = {CONTEXT}",
        f"parameters = {weights}",
        f"voices = {json.dumps(list(VOICES))}",
        "",
        "# F acoustic frames of 25 ms; float32, one utterance at a time",
        "[shapes]",
        f'acoustic = "[1, {ACOUSTIC_CHANNELS}, F]"',
        'prosody = "[1, 4, 2F]"',
        f'style = "[1, {STYLE_CHANNELS}]"',
        f'filters = "[1, {ACOUSTIC_HOP // HOP}F, 3, {BINS}]"',
    ]
    write_card(path, "export.py", facts)


def windowed(session: Session, feed: Feed, start: int, stop: int) -> NDArray[np.float32]:
    """Return the samples of frames `start` to `stop`, decoded with CONTEXT frames on both sides."""
    frames = feed["acoustic"].shape[2]
    stop = min(stop, frames)
    first, last = max(0, start - CONTEXT), min(frames, stop + CONTEXT)
    window = {
        "acoustic": feed["acoustic"][:, :, first:last],
        "prosody": feed["prosody"][:, :, 2 * first : 2 * last],
        "style": feed["style"],
    }
    (filters,) = session.run(("filters",), **window)
    ratio = ACOUSTIC_HOP // HOP
    pulses, noise = feed["pulses"][0], feed["noise"][0]
    return filtered(filters[0], pulses, noise, ratio * start, ratio * stop, begins=ratio * first)


def random_feed(frames: int) -> Feed:
    """Return inputs of the right shape, scale and order."""
    draw = np.random.default_rng(0)
    samples = ACOUSTIC_HOP * frames
    feed = {
        "acoustic": draw.normal(0, 0.3, (1, ACOUSTIC_CHANNELS, frames)),
        "prosody": draw.normal(0, 0.3, (1, 4, 2 * frames)),
        "style": draw.normal(0, 0.2, (1, STYLE_CHANNELS)),
        "pulses": draw.normal(0, 1, (1, samples)),
        "noise": draw.normal(0, 1, (1, samples)),
    }
    return {name: value.astype(np.float32) for name, value in feed.items()}


if __name__ == "__main__":
    main()
