"""The one place that talks to ONNX Runtime."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosyvoice_wyoming import machine
from cosyvoice_wyoming.errors import EngineFailed, ModelCorrupt

_LOGGER = logging.getLogger(__name__)

_WARNINGS_OFF = 3
_SHARES = 4
"""Of a thread in an operation that several threads share."""
Array = NDArray[np.float32]


class Session:
    """A loaded graph. With `shrinks` it gives the memory of each run back at its end."""

    def __init__(self, path: Path, *, threads: int, shrinks: bool = False) -> None:
        import onnxruntime

        self._run_options: Any = onnxruntime.RunOptions()
        if shrinks:
            self._run_options.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = _WARNINGS_OFF
        # Two sessions share the cores: a thread that spins for work steals it from the other's.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        # And work in small shares, so that whoever has a core takes more of it than who has none.
        options.add_session_config_entry("session.dynamic_block_base", str(_SHARES))
        if not machine.has_vnni():
            # Signed weights overflow on such x86 CPUs: this makes them unsigned. Others would lose
            # by it, Zen 4 for one, where the estimator takes 131 ms with it instead of 87.
            options.add_session_config_entry("session.x64quantprecision", "1")
        # Lengths differ from run to run, and a pattern per length is memory that never returns.
        options.enable_mem_pattern = False
        try:
            self._session: Any = onnxruntime.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # ONNX Runtime's exceptions share no base class
            raise ModelCorrupt(f"{path.name} cannot be loaded; fetch the model again.") from error

    def run(self, feeds: Mapping[str, NDArray[Any]]) -> list[Array]:
        """Return all outputs. Raises EngineFailed."""
        try:
            outputs: list[Array] = self._session.run(None, dict(feeds), self._run_options)
        except Exception as error:
            _LOGGER.error("ONNX Runtime: %s", error)  # noqa: TRY400  the cause, not our frames
            raise EngineFailed("The speech model failed; the log says why.") from error
        return outputs
