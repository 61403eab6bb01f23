"""The energy distance between spectrograms of the teacher and of two draws of the student.

With x the teacher and y1, y2 the same filters with two draws of noise, the loss is
d(x, y1)/2 + d(x, y2)/2 - d(y1, y2)/2, a proper score. Without its last term the best answer to a
random spectrum is a steady one, and the student buzzes where the teacher breathes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

RESOLUTIONS = (256, 512, 1024, 2048)
MEL_RESOLUTION = 1024
MEL_BANDS = 80
_LOG_FLOOR = 1e-5
_MEL_FLOOR = 1e-4
_LINEAR_WEIGHT = 0.5
_MEL_WEIGHT = 1.5


def mel_filters(n_fft: int, bands: int = MEL_BANDS) -> Tensor:
    """Triangles of height 1 on the HTK mel scale, 0 to 12 kHz: [bands, n_fft / 2 + 1]."""
    bins = np.linspace(0, 12_000, n_fft // 2 + 1)
    top = 2595 * np.log10(1 + 12_000 / 700)
    edges = 700 * (10 ** (np.linspace(0, top, bands + 2) / 2595) - 1)
    low, peak, high = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    rising, falling = (bins - low) / (peak - low), (high - bins) / (high - peak)
    return torch.tensor(np.clip(np.minimum(rising, falling), 0, None), dtype=torch.float32)


def frames_of(samples: Tensor, window: Tensor) -> Tensor:
    """[B, L] -> windowed frames [B, J, n], a quarter of a window apart, centred on multiples."""
    n_fft = window.shape[0]
    padded = functional.pad(samples, (n_fft // 2, n_fft // 2))
    return padded.unfold(1, n_fft, n_fft // 4) * window


class EnergyDistance(torch.autograd.Function):
    """One resolution of the loss with its gradient written out.

    Automatic differentiation of torch.stft spends four fifths of its time in copies; on a CPU this
    loss would cost as much as the whole decoder.
    """

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any,  # noqa: ANN401 - torch's own context
        teacher: Tensor,
        draws: Tensor,
        window: Tensor,
        mel: Tensor | None,
    ) -> Tensor:
        """[B, L], [2B, L], window of the resolution, mel filters or None -> scalar."""
        n_fft, batch = window.shape[0], teacher.shape[0]
        scaled = window / window.sum()
        spectra = torch.fft.rfft(frames_of(torch.cat([teacher, draws]), scaled))
        size = spectra.abs()
        loss, grad = _distances(size, batch)
        if mel is not None:
            more, mel_grad = _mel_distance(size, batch, mel)
            loss, grad = loss + more, grad + mel_grad
        direction = spectra[batch:] / (size[batch:] + 1e-12)
        direction *= grad
        direction[..., 1:-1] *= 0.5
        frames = torch.fft.irfft(direction, n=n_fft) * (scaled * n_fft)
        ctx.save_for_backward(_overlap_add(frames, draws.shape[1]))
        return loss

    @staticmethod
    def backward(  # type: ignore[override]
        ctx: Any,  # noqa: ANN401 - torch's own context
        *grads: Tensor,
    ) -> tuple[None, Tensor, None, None]:
        (gradient,) = ctx.saved_tensors
        return None, gradient * grads[0], None, None


def energy_distance(teacher: Tensor, draws: Tensor, weights: Mapping[int, float]) -> Tensor:
    """Return the weighted sum over resolutions for samples [B, L] and two draws each [2B, L]."""
    total = torch.zeros(())
    for n_fft, weight in weights.items():
        mel = _mel_cache() if n_fft == MEL_RESOLUTION else None
        distance = EnergyDistance.apply(teacher, draws, torch.hann_window(n_fft), mel)
        total = total + weight * distance
    return total


def drawn_weights(generator: torch.Generator | None = None) -> dict[int, float]:
    """Return the mel resolution and one of the others, in whose place it stands for all three.

    The expected gradient is that of the sum over all four, at half the cost of a step's losses.
    """
    others = [n_fft for n_fft in RESOLUTIONS if n_fft != MEL_RESOLUTION]
    chosen = int(torch.randint(len(others), (1,), generator=generator))
    return {MEL_RESOLUTION: 1.0, others[chosen]: float(len(others))}


def _score(values: Tensor, batch: int) -> tuple[Tensor, Tensor]:
    """Energy distance of absolute differences and its gradient for the two draws, both summed."""
    target, first, second = values[:batch], values[batch : 2 * batch], values[2 * batch :]
    to_first, to_second, apart = first - target, second - target, first - second
    loss = 0.5 * (to_first.abs().sum() + to_second.abs().sum() - apart.abs().sum())
    push = apart.sign_()
    grad = torch.cat([to_first.sign_() - push, to_second.sign_() + push])
    return loss, grad.mul_(0.5)


def _distances(size: Tensor, batch: int) -> tuple[Tensor, Tensor]:
    cells = size[:batch].numel()
    floored = size + _LOG_FLOOR
    log_loss, grad = _score(floored.log(), batch)
    grad /= floored[batch:]
    linear_loss, linear_grad = _score(size, batch)
    weight = _LINEAR_WEIGHT / (size[:batch].mean() + _LOG_FLOOR)
    grad.add_(linear_grad.mul_(weight)).div_(cells)
    return (log_loss + weight * linear_loss) / cells, grad


def _mel_distance(size: Tensor, batch: int, mel: Tensor) -> tuple[Tensor, Tensor]:
    bands = size @ mel.T + _MEL_FLOOR
    loss, grad = _score(bands.log(), batch)
    weight = _MEL_WEIGHT / bands[:batch].numel()
    return weight * loss, (grad.mul_(weight) / bands[batch:]) @ mel


def _overlap_add(frames: Tensor, length: int) -> Tensor:
    """Undo `frames_of` in the sense of its transpose: [B, J, n] -> [B, length]."""
    n_fft = frames.shape[2]
    hop = n_fft // 4
    parts = frames.unflatten(2, (4, hop)).unbind(2)
    total = functional.pad(parts[0], (0, 0, 0, 3))
    for k in (1, 2, 3):
        total[:, k : k + frames.shape[1]] += parts[k]
    flat = total.flatten(1)[:, n_fft // 2 :]
    return functional.pad(flat, (0, max(0, length - flat.shape[1])))[:, :length]


_CACHE: dict[int, Tensor] = {}


def _mel_cache() -> Tensor:
    return _CACHE.setdefault(MEL_RESOLUTION, mel_filters(MEL_RESOLUTION))
