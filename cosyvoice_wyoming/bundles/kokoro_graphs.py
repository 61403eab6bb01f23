"""Cut Kokoro-82M into context, encoder and decoder, and rewrite them for onnxruntime's kernels.

Run as a program, `python -m cosyvoice_wyoming.bundles.kokoro_graphs MODEL FOLDER [all]`: the
surgery takes 0.3 GB (0.93 GB with the decoder) for some seconds, which a server would keep.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import onnx
from onnx import TensorProto

from cosyvoice_wyoming.bundles.dequantise import dequantise
from cosyvoice_wyoming.bundles.graph import Graph, Port
from cosyvoice_wyoming.bundles.lite_files import ENCODER, PLBERT, TEACHER_FP32, TEACHER_INT8
from cosyvoice_wyoming.bundles.rewrites import (
    fuse_instance_norm,
    multiply_convolutions,
    square_by_product,
    widen_convolutions,
)
from cosyvoice_wyoming.machine import has_vnni


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Kokoro-82M in three graphs."""

    context: onnx.ModelProto
    """tokens int64 [1, N] to context [1, N, 512], which no voice and no speed changes."""
    encoder: onnx.ModelProto
    """tokens, context, style [1, 256], speed [1] to asr [1, 512, F], f0 [1, 2F], energy [1, 2F],
    durations [1, N]."""
    decoder: onnx.ModelProto
    """asr, f0, energy, style to audio [600 F]."""


def write_graphs(kokoro: Path, folder: Path, *, everything: bool) -> None:
    """Write the encoder; if `everything`, also the context and the decoder (8 bits, floats)."""
    parts = split(onnx.load(kokoro))
    onnx.save(faster_encoder(parts.encoder, signed=has_vnni()), folder / ENCODER)
    if everything:
        onnx.save(parts.context, folder / PLBERT)
        decoder = parts.decoder
        del parts
        int8 = _faster(decoder)
        onnx.save(int8, folder / TEACHER_INT8)
        del decoder
        onnx.save(_floating(int8), folder / TEACHER_FP32)


def faster_encoder(encoder: onnx.ModelProto, *, signed: bool) -> onnx.ModelProto:
    """Return the encoder with its convolutions as products; `signed` suits CPUs with VNNI."""
    graph = Graph(encoder)
    fuse_instance_norm(graph)
    multiply_convolutions(graph, signed=signed)
    return graph.whole()


def _faster(decoder: onnx.ModelProto) -> onnx.ModelProto:
    graph = Graph(decoder)
    fuse_instance_norm(graph)
    square_by_product(graph)
    return graph.whole()


def _floating(decoder: onnx.ModelProto) -> onnx.ModelProto:
    graph = Graph(decoder)
    dequantise(graph)
    widen_convolutions(graph)
    return graph.whole()


def split(kokoro: onnx.ModelProto) -> Parts:
    """Cut the model before and after prosody; nothing is computed differently."""
    context = Port(
        tensor="/encoder/bert_encoder/Add_output_0", name="context", shape=(1, "tokens", 512)
    )
    features = (
        Port(tensor="/encoder/MatMul_1_output_0", name="asr", shape=(1, 512, "frames")),
        Port(tensor="/encoder/Reshape_output_0", name="f0", shape=(1, "half_frames")),
        Port(tensor="/encoder/Reshape_1_output_0", name="energy", shape=(1, "half_frames")),
    )
    durations = Port(tensor="/encoder/Clip_output_0", name="durations", shape=(1, "tokens"))
    tokens = Port(tensor="tokens", name="tokens", shape=(1, "tokens"), element=TensorProto.INT64)
    style = Port(tensor="style", name="style", shape=(1, 256))
    speed = Port(tensor="speed", name="speed", shape=(1,))
    audio = Port(tensor="audio", name="audio", shape=("samples",))
    graph = Graph(kokoro)
    return Parts(
        context=graph.cut("context", (tokens,), (context,)),
        encoder=graph.cut("encoder", (tokens, context, style, speed), (*features, durations)),
        decoder=graph.cut("decoder", (*features, style), (audio,)),
    )


if __name__ == "__main__":
    write_graphs(Path(sys.argv[1]), Path(sys.argv[2]), everything=sys.argv[3:] == ["all"])
