"""What a second of speech costs `lite`: counted operations and bytes, and an estimate for boards.

    .venv/bin/python benchmarks/cost.py [--data-dir data]

The graphs run once on one sentence and onnxruntime says which shapes each node had: that gives
multiply-accumulates (products, convolutions, LSTM) and the bytes that nodes read and write. The
counts are exact for that sentence; the boards are ESTIMATES: nobody has run this on them. They
rest on one published figure, Kokoro-82M at RTF 0.98 on four cores of a Pi 5 in the ONNX export,
whose own operations are counted here in the same way (the bundle `lite-hq` is needed for it).
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from cosyvoice_wyoming.bundles import ensure
from cosyvoice_wyoming.bundles.lite_files import CONTEXT, ENCODER, PLBERT, STUDENT, TEACHER_FP32
from cosyvoice_wyoming.engine.kokoro.excitation import prosody
from cosyvoice_wyoming.engine.kokoro.student import CONTEXT_FRAMES, FIRST_WINDOW_FRAMES
from cosyvoice_wyoming.engine.kokoro.styles import read_style
from cosyvoice_wyoming.phonemes import phonemize, symbol_ids
from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.spoken import Span, Spoken

Array: TypeAlias = NDArray[np.float32]
Feed: TypeAlias = dict[str, NDArray[Any]]

SENTENCE = "The kitchen light is on, the door is open."
FRAMES_A_SECOND = 40
PI5_RTF = 0.98
"""Of the whole of Kokoro-82M, four threads; published with kokoro-pi."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A board beside a Pi 5: its pace in floats as a part of the Pi's, and in bytes beside floats.

    The first is clock times multiply-accumulates a cycle of a core. The second is an ASSUMPTION
    too: 180 against 65 GOPS sustained for cores with 8-bit dot products, nothing without them.
    """

    pace: float
    bytes_pace: float


BOARDS = {
    "Raspberry Pi 4B": Board(pace=1.8 / 2.4 * 4 / 8, bytes_pace=1.0),
    "Raspberry Pi 5": Board(pace=1.0, bytes_pace=180 / 65),
    "RK3588": Board(pace=1.0, bytes_pace=180 / 65),
}
"""The Pi 4's A72 has half the vector units of the A76 and no 8-bit dot product; an RK3588 has four
A76 at 2.4 GHz, as the Pi 5."""

_FLOATS = {"MatMul", "FusedMatMul", "Gemm", "FusedGemm", "Conv", "ConvTranspose", "LSTM"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Of one run: multiply-accumulates of floats and of bytes; bytes read and written by nodes."""

    floats: float
    bytes: float
    traffic: float

    def __truediv__(self, seconds: float) -> Cost:
        return Cost(
            floats=self.floats / seconds,
            bytes=self.bytes / seconds,
            traffic=self.traffic / seconds,
        )

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            floats=self.floats + other.floats,
            bytes=self.bytes + other.bytes,
            traffic=self.traffic + other.traffic,
        )

    def seconds(self, board: Board, rate: float) -> float:
        """Return the time that it takes where a Pi 5 does `rate` products of floats a second."""
        return (self.floats + self.bytes / board.bytes_pace) / (rate * board.pace)


_PRODUCTS = {"MatMul", "FusedMatMul", "Gemm", "MatMulInteger", "MatMulIntegerToFloat"}
_PRODUCTS |= {"DynamicQuantizeMatMul", "FusedGemm"}


def main() -> None:
    """Count, and print both tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data-dir", type=Path, default=Path("data"))
    data_dir = parser.parse_args().data_dir
    lite, lite_hq = ensure("lite", data_dir), ensure("lite-hq", data_dir)
    read = sentence(lite)
    context, (learnt,) = run(lite / CONTEXT, {"tokens": read["tokens"]})
    teacher_context, _ = run(lite_hq / PLBERT, {"tokens": read["tokens"]})
    encoder, features = run(lite / ENCODER, {**read, "context": learnt})
    asr, f0, energy = features[:3]
    style = read["style"]
    seconds = asr.shape[2] / FRAMES_A_SECOND
    feed = student_feed(asr, f0[0], energy[0], style)
    student, _ = run(lite / STUDENT, feed)
    opening = FIRST_WINDOW_FRAMES + 2 * CONTEXT_FRAMES
    window, _ = run(lite / STUDENT, first_frames(feed, opening))
    inputs = {"asr": asr, "f0": f0, "energy": energy, "style": style}
    teacher, _ = run(lite_hq / TEACHER_FP32, inputs)
    print_counts(
        {
            "context": context / seconds,
            "encoder": encoder / seconds,
            "student": student / seconds,
            "teacher's context": teacher_context / seconds,
            "teacher's decoder": teacher / seconds,
        }
    )
    whole = teacher_context + encoder + teacher
    rate = (whole.floats + whole.bytes) / seconds / PI5_RTF
    length = f"{len(SENTENCE)} characters in one segment ({seconds:.1f} s)"
    print(f"\nA Pi 5 does {rate / 1e9:.1f} GMAC/s by its published RTF. First audio is that of")
    print(f"{length}: context, encoder, first window.\n")
    print("| estimate, four cores | RTF | first audio |\n|---|---|---|")
    for name, board in BOARDS.items():
        rtf = (context + encoder + student).seconds(board, rate) / seconds
        first = (context + encoder + window).seconds(board, rate)
        print(f"| {name} | {rtf:.3f} | {first * 1000:.0f} ms |")


def print_counts(costs: dict[str, Cost]) -> None:
    print("| counted, per second of speech | GMAC, floats | bytes | GB read and written |")
    print("|---|---|---|---|")
    for name, cost in costs.items():
        figures = (cost.floats / 1e9, cost.bytes / 1e9, cost.traffic / 1e9)
        print(f"| {name} | " + " | ".join(f"{figure:.2f}" for figure in figures) + " |")


def sentence(bundle: Path) -> Feed:
    """Return the sentence as the encoder reads it, but for its context."""
    span = Span(text=SENTENCE, language=Language.EN)
    spoken = Spoken(text=SENTENCE, language=Language.EN, spans=(span,))
    ids = [symbol_ids()[symbol] for symbol in phonemize(spoken).symbols]
    return {
        "tokens": np.array([[0, *ids, 0]], np.int64),
        "style": read_style(bundle / "voices", ["af_heart"]).row(len(ids)),
        "speed": np.ones(1, np.float32),
    }


def student_feed(asr: Array, f0: Array, energy: Array, style: Array) -> Feed:
    """Return what the student reads of a whole utterance."""
    return {
        "acoustic": asr,
        "prosody": prosody(f0, energy)[np.newaxis],
        "style": style[:, :128],
    }


def first_frames(feed: Feed, frames: int) -> Feed:
    """Return the beginning of a student's feed."""
    lengths = {"acoustic": frames, "prosody": 2 * frames, "style": 128}
    return {name: np.ascontiguousarray(v[..., : lengths[name]]) for name, v in feed.items()}


def run(graph: Path, feed: Feed) -> tuple[Cost, list[Array]]:
    """Run a graph as it is written and count; return its cost and its outputs."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.add_session_config_entry("session.disable_prepacking", "1")
    options.enable_profiling = True
    with tempfile.TemporaryDirectory() as folder:
        options.profile_file_prefix = str(Path(folder) / "profile")
        session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        outputs = session.run(None, feed)
        events = json.loads(Path(session.end_profiling()).read_text("utf-8"))
    nodes = [event["args"] for event in events if event.get("name", "").endswith("_kernel_time")]
    return sum(map(cost, nodes), Cost(floats=0, bytes=0, traffic=0)), outputs


def cost(node: dict[str, Any]) -> Cost:
    found, is_float = macs(node), node["op_name"] in _FLOATS
    return Cost(
        floats=found if is_float else 0, bytes=0 if is_float else found, traffic=traffic(node)
    )


def macs(node: dict[str, Any]) -> float:
    """Return the multiply-accumulates of a node from the shapes that it saw."""
    inputs, outputs = shapes(node["input_type_shape"]), shapes(node["output_type_shape"])
    match node["op_name"]:
        case "Conv" | "ConvInteger":
            return math.prod(outputs[0]) * math.prod(inputs[1][1:])
        case "ConvTranspose":
            return math.prod(inputs[0]) * math.prod(inputs[1][1:])
        case "LSTM" | "DynamicQuantizeLSTM":
            steps, directions, batch, hidden = outputs[0]
            return steps * directions * batch * 4 * hidden * (inputs[0][-1] + hidden)
        case name if name in _PRODUCTS:
            return math.prod(outputs[0]) * inputs[0][-1]
    return 0


def traffic(node: dict[str, Any]) -> float:
    keys = ("activation_size", "parameter_size", "output_size")
    return sum(int(node.get(key, 0)) for key in keys)


def shapes(described: list[dict[str, list[int]]]) -> list[list[int]]:
    return [shape for tensor in described for shape in tensor.values()]


if __name__ == "__main__":
    main()
