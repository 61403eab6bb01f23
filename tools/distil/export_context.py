"""Write a checkpoint of the context network as ONNX in 8 bits, and say what the rounding costs.

python export_context.py work/context-run/last.pt work/context work/context.onnx
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import numpy as np
import torch
from card import write_card
from context import POSITIONS, Context, Shape
from export import halve
from onnxruntime.quantization import QuantType, quantize_dynamic
from teach_context import context_of
from train_context import HELD_OUT, Hearing, Reading, hear, load, relative_error

from cosyvoice_wyoming.engine.kokoro.session import Session

_READINGS = 100
_ALLOWED = 0.1
"""What rounding may add, as heard; the teacher's own 8 bits are about 0.1 from its floats."""


def main() -> None:
    """Export, check, report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("readings", type=Path, help="whose held-out ones judge the rounding")
    parser.add_argument("onnx", type=Path)
    parser.add_argument("--bundle", type=Path, default=Path("../../data/models/lite-hq"))
    arguments = parser.parse_args()
    state = torch.load(arguments.checkpoint, weights_only=True)
    network = Context(Shape(**state["shape"]))
    network.load_state_dict(state["average"])
    network.eval()
    export(network, arguments.onnx)
    readings = load(arguments.readings / HELD_OUT)[:_READINGS]
    hearing = hear(arguments.bundle / "encoder.onnx", readings)
    rounding = rounding_error(network, arguments.onnx, readings, hearing)
    whole = relative_error(network, readings, hearing)
    print(f"heard of the teacher {whole:.3f}, rounding to 8 bits {rounding:.3f} on top")
    if rounding > _ALLOWED:
        raise SystemExit(f"rounding to 8 bits costs more than {_ALLOWED}")
    describe(network, arguments.onnx)


def export(network: Context, path: Path) -> None:
    """Write the graph: products in 8 bits, their inputs measured a sentence at a time.

    Weights have 7 bits, which CPUs without 8-bit dot products add without overflow.
    """
    with torch.no_grad():
        for weight in network.parameters():
            weight.copy_(weight.half().float())
    wide = path.with_suffix(".wide.onnx")
    torch.onnx.export(
        network,
        (torch.zeros(1, 12, dtype=torch.long),),
        str(wide),
        input_names=["tokens"],
        output_names=["context"],
        dynamic_axes={"tokens": {1: "tokens"}, "context": {1: "tokens"}},
        opset_version=17,
        dynamo=False,
    )
    quantize_dynamic(
        wide,
        path,
        op_types_to_quantize=["MatMul"],
        weight_type=QuantType.QInt8,
        per_channel=True,
        reduce_range=True,
    )
    wide.unlink()
    halve(path)


def rounding_error(
    network: Context, path: Path, readings: list[Reading], hearing: Hearing
) -> float:
    """Return how far the graph is from PyTorch, as heard."""
    session, errors = Session(path, threads=1), []
    for reading in readings:
        tokens = reading.tokens.astype(np.int64)
        with torch.no_grad():
            expected = network(torch.from_numpy(tokens)[None])[0]
        errors.append(hearing.errors(torch.from_numpy(context_of(session, tokens)), expected))
    return math.sqrt(float(torch.cat(errors).mean()))


def describe(network: Context, path: Path) -> None:
    """Write `context.toml` beside the graph: what the package needs to know to take it."""
    facts = [
        f"longest = {POSITIONS}",
        f"parameters = {sum(weight.numel() for weight in network.parameters())}",
        "",
        "# N tokens, the pads at both ends included",
        "[shapes]",
        'tokens = "int64 [1, N]"',
        'context = "float32 [1, N, 512]"',
    ]
    write_card(path, "export_context.py", facts)


if __name__ == "__main__":
    main()
