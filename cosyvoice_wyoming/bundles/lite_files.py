"""The graphs of `lite` and `lite-hq`, by their names in the bundle."""

from __future__ import annotations

ENCODER = "encoder.onnx"
STUDENT = "student.onnx"
"""The distilled decoder, of `lite`."""
TEACHER_FP32 = "decoder.onnx"
TEACHER_INT8 = "decoder-int8.onnx"
"""The decoder that the model came with, of `lite-hq`."""
