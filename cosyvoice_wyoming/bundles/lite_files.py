"""The graphs of `lite` and `lite-hq`, by their names in the bundle."""

from __future__ import annotations

CONTEXT = "context.onnx"
"""What each phoneme takes from its sentence: the distilled network, of `lite`."""
PLBERT = "plbert.onnx"
"""The network for it that the model came with, of `lite-hq`. Pieces of one name are taken from one
bundle for the other, so what differs has a name of its own."""
ENCODER = "encoder.onnx"
STUDENT = "student.onnx"
"""The distilled decoder, of `lite`."""
TEACHER_FP32 = "decoder.onnx"
TEACHER_INT8 = "decoder-int8.onnx"
"""The decoder that the model came with, of `lite-hq`."""
