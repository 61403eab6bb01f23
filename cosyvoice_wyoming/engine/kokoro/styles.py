"""The voices' styles, read from packs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cosyvoice_wyoming.errors import ModelCorrupt

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROWS, COLUMNS = 510, 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How a voice sounds, float32 [510, 256]: a row for each length of utterance.

    Columns 0 to 127 are the decoder's, 128 to 255 the prosody's.
    """

    rows: NDArray[np.float32]

    def row(self, length: int) -> NDArray[np.float32]:
        """Return the style [1, 256] for an utterance of `length` symbols."""
        row = min(length, ROWS - 1)
        return self.rows[row : row + 1]


def read_style(folder: Path, packs: Sequence[str]) -> Style:
    """Return the mean of the packs of those names in `folder`. Raises ModelCorrupt."""
    return Style(rows=np.mean([_read_pack(folder / f"{pack}.bin") for pack in packs], axis=0))


def _read_pack(path: Path) -> NDArray[np.float32]:
    values = np.fromfile(path, "<f4")
    if values.size != ROWS * COLUMNS:
        raise ModelCorrupt(f"{path} is not a pack of {ROWS} styles.")
    return values.reshape(ROWS, COLUMNS)
