"""One ONNX graph on the CPU, with options that suit a small board which also does other things."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cosyvoice_wyoming.errors import EngineFailed, ModelCorrupt
from cosyvoice_wyoming.machine import cores

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

MOST_THREADS = 4
"""More bring nothing: past four the model waits for memory, and the host has other work."""


def overlapping_threads() -> int:
    """Return the threads of a graph that runs beside another, which gets a core.

    On two cores the encoder takes as long with one thread as with two, and the decoder beside it
    has a core to itself: a paragraph 14 % sooner.
    """
    return max(1, min(MOST_THREADS, cores()) - 1)


class Session:
    """A loaded graph. The only place that touches onnxruntime for this engine."""

    def __init__(self, path: Path, threads: int = 0, *, keep_memory: bool = False) -> None:
        """Load the graph at `path` for `threads` threads (0: one for each core, four at most).

        With `keep_memory`, what one run took is kept for the next. Raises ModelCorrupt.
        """
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads or min(MOST_THREADS, cores())
        options.inter_op_num_threads = 1
        # Memory patterns are planned per shape, and every utterance has another: 790 MB with,
        # 630 MB without them (9 s of speech).
        options.enable_mem_pattern = False
        # Encoder and student are as fast without the arena, and what they give back can be
        # trimmed: 16 MB. The teacher, with its large tensors, takes 1.8 GB without it.
        options.enable_cpu_mem_arena = keep_memory
        # Threads that spin between operations save 2 % and cost other programs a core.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(
                path, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime's exceptions have no common class
            raise ModelCorrupt(f"{path} cannot be loaded: {error}") from error

    def run(
        self, outputs: Sequence[str], **inputs: NDArray[np.generic]
    ) -> list[NDArray[np.float32]]:
        """Return the tensors named `outputs`. Raises EngineFailed."""
        try:
            found: list[NDArray[np.float32]] = self._session.run(outputs, inputs)
        except Exception as error:
            raise EngineFailed(f"The model failed: {error}") from error
        return found
