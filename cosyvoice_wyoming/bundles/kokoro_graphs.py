"""Cut Kokoro-82M into encoder and decoder, and rewrite both for onnxruntime's kernels.

Run as a program, `python -m cosyvoice_wyoming.bundles.kokoro_graphs MODEL FOLDER [decoders]`: the
surgery takes 0.3 GB (0.93 GB with the decoders) for some seconds, which a server would keep.
"""

from __future__ import annotations

import sys
from pathlib import Path

import onnx
from onnx import TensorProto

from cosyvoice_wyoming.bundles.dequantise import dequantise
from cosyvoice_wyoming.bundles.graph import Graph, Port
from cosyvoice_wyoming.bundles.lite_files import ENCODER, TEACHER_FP32, TEACHER_INT8
from cosyvoice_wyoming.bundles.rewrites import (
    fuse_instance_norm,
    multiply_convolutions,
    square_by_product,
    widen_convolutions,
)
from cosyvoice_wyoming.machine import has_vnni


def write_graphs(kokoro: Path, folder: Path, *, decoders: bool) -> None:
    """Write the encoder; if `decoders`, also the decoder in 8 bits and in floats."""
    encoder, decoder = split(onnx.load(kokoro))
    onnx.save(faster_encoder(encoder, signed=has_vnni()), folder / ENCODER)
    del encoder
    if decoders:
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


def split(kokoro: onnx.ModelProto) -> tuple[onnx.ModelProto, onnx.ModelProto]:
    """Cut the model between prosody and waveform; nothing is computed differently.

    Encoder: tokens int64 [1, N], style [1, 256], speed [1] to asr [1, 512, F], f0 [1, 2F],
    energy [1, 2F], durations [1, N]. Decoder: asr, f0, energy, style to audio [600 F].
    """
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
    return (
        graph.cut("encoder", (tokens, style, speed), (*features, durations)),
        graph.cut("decoder", (*features, style), (audio,)),
    )


if __name__ == "__main__":
    write_graphs(Path(sys.argv[1]), Path(sys.argv[2]), decoders=sys.argv[3:] == ["decoders"])
