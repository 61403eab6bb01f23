"""Pictures of sound and of training."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageDraw

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WINDOW, _FFT, _HOP = 800, 1600, 120
_RANGE_DB = 80.0
_LONGEST = 900  # columns: 4.5 s
_PLOT = (720, 360)
_EDGE = 44


def compare(teacher: NDArray[np.float32], student: NDArray[np.float32], path: Path) -> None:
    """Write spectrograms 0 to 12 kHz (30 Hz, 5 ms), the teacher's above the student's."""
    top = max(_decibels(teacher).max(), 1e-3)
    upper, lower = (_decibels(wave)[:, :_LONGEST] for wave in (teacher, student))
    gap = np.full((8, upper.shape[1]), top)
    both = np.concatenate([upper, gap, lower])
    grey = np.clip((both - top + _RANGE_DB) / _RANGE_DB * 255, 0, 255).astype(np.uint8)
    Image.fromarray(grey).save(path, optimize=True)


def _decibels(samples: NDArray[np.float32]) -> NDArray[np.float64]:
    frames = np.lib.stride_tricks.sliding_window_view(samples, _WINDOW)[::_HOP]
    spectrum = np.abs(np.fft.rfft(frames * np.hanning(_WINDOW), _FFT))[:, ::2]
    return 20 * np.log10(spectrum + 1e-3)[:, ::-1].T


def curve(points: list[tuple[float, float]], title: str, path: Path) -> None:
    """Plot y over x as a small PNG, with the range of both written at the axes."""
    width, height = _PLOT
    picture = Image.new("L", _PLOT, 255)
    pen = ImageDraw.Draw(picture)
    xs, ys = np.array(points).T
    low, high = float(ys.min()), float(ys.max())
    right = _EDGE + (width - 2 * _EDGE) * (xs - xs.min()) / max(np.ptp(xs), 1e-9)
    down = height - _EDGE - (height - 2 * _EDGE) * (ys - low) / max(high - low, 1e-9)
    pen.line([(_EDGE, _EDGE), (_EDGE, height - _EDGE), (width - _EDGE, height - _EDGE)], fill=128)
    pen.line(list(zip(right.tolist(), down.tolist(), strict=True)), fill=0, width=2)
    pen.text((_EDGE, 12), title, fill=0)
    pen.text((4, _EDGE - 6), f"{high:.2f}", fill=0)
    pen.text((4, height - _EDGE - 6), f"{low:.2f}", fill=0)
    pen.text((_EDGE, height - _EDGE + 8), f"step {xs.min():.0f}", fill=0)
    pen.text((width - 2 * _EDGE, height - _EDGE + 8), f"{xs.max():.0f}", fill=0)
    picture.save(path, optimize=True)


def main() -> None:
    """Draw the curves of a training run from its log.jsonl."""
    parser = argparse.ArgumentParser(description="Draw the curves of a training run")
    parser.add_argument("log", type=Path)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    records = [json.loads(line) for line in arguments.log.read_text().splitlines()]
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name, title in (("mel_rmse", "mel RMSE, held-out (dB)"), ("loss", "energy distance")):
        points = [(record["step"], record[name]) for record in records if record[name]]
        curve(points, title, arguments.folder / f"{name}.png")


if __name__ == "__main__":
    main()
