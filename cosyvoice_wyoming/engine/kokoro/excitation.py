"""What drives the distilled decoder: a pulse train, its pitch and energy, and noise.

Training and run time share this module, so that the decoder never meets an excitation it was not
trained on. Frames are 80 Hz (300 samples at 24 kHz); the acoustic features are 40 Hz (600 samples).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SAMPLE_RATE = 24_000
PITCH_HOP = 300
"""Samples per frame of F0 and energy (80 Hz)."""
VOICED_ABOVE_HZ = 10.0
"""The encoder writes 5 to 9 Hz, never 0, where nothing is voiced."""

_PROSODY_FLOOR_HZ = 50.0  # onset ramps pass 10 to 50 Hz: voiced, but log F0 would run away
_REFERENCE_HZ = 200.0
_HIGHEST_HARMONIC_HZ = 11_900.0
_PHASE_STEP = 2 * np.pi * PITCH_HOP / SAMPLE_RATE  # radians per frame and Hz

# Read off the teacher: over the twelve voices the power above 2 kHz follows the phase as
# exp(kappa cos), strongest 0.8 to 1 ms before a pulse, kappa 0.7 to 0.8 at 100 Hz, 0.35 at 200 Hz.
_BREATH_LEAD_SECONDS = 0.0009
_BREATH_HZ = 100.0  # kappa is 1 up to here and falls with the pitch


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulses:
    """A pulse train, the breath between its pulses, and the running phase to continue it with."""

    samples: NDArray[np.float32]
    """Shape [300 * frames]; a sum of unit cosines up to 11.9 kHz, 0 where unvoiced."""
    breath: NDArray[np.float32]
    """Shape [300 * frames]; the factor on the noise: the breath of a voice comes in puffs, one a
    pulse. Its square is 1 on average over a period, and where unvoiced."""
    phase: float
    """Radians in 0..2π at the centre of the last frame; start of the next segment."""


def pulses(f0: NDArray[np.float32], phase: float = 0.0) -> Pulses:
    """Return the pulse train of `f0` (Hz, shape [frames]), a Dirichlet kernel of the running phase.

    The teacher's own phase: at the centre of frame i it is `phase` + 2π·300/24000·(f0[0]+…+f0[i]),
    linear between centres, constant over the outer half frames. Unvoiced frames count in the sum.
    """
    centres = np.mod(phase + _PHASE_STEP * np.cumsum(f0, dtype=np.float64), 2 * np.pi)
    back = _PHASE_STEP * f0
    ahead = np.append(back[1:], 0.0)
    back[0] = 0.0
    offsets = (np.arange(PITCH_HOP, dtype=np.float32) - (PITCH_HOP - 1) / 2) / PITCH_HOP
    slope = np.where(offsets < 0, back[:, None], ahead[:, None]).astype(np.float32)
    angle = (centres.astype(np.float32)[:, None] + slope * offsets).astype(np.float32, copy=False)
    # wrapped to ±π: numerator and denominator of the kernel must vanish at the same sample
    angle -= np.float32(2 * np.pi) * np.rint(angle * np.float32(0.5 / np.pi))
    harmonics = np.floor(_HIGHEST_HARMONIC_HZ / np.maximum(f0, 1.0)).astype(np.float32)[:, None]
    half = np.sin(0.5 * angle)
    at_peak = np.abs(half) < 1e-4  # noqa: PLR2004 - closer than the kernel's flat top
    half[at_peak] = 1.0
    kernel = np.sin((harmonics + 0.5) * angle) / (2 * half) - 0.5
    train = np.where(at_peak, harmonics, kernel) * (f0 > VOICED_ABOVE_HZ)[:, None]
    end = float(centres[-1]) if len(centres) else phase
    return Pulses(
        samples=train.astype(np.float32, copy=False).reshape(-1),
        breath=_breath(f0, angle).reshape(-1),
        phase=end,
    )


def _breath(f0: NDArray[np.float32], angle: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the factor on the noise for `angle`, the phase [frames, 300] in radians.

    The square is exp(kappa cos(angle + lead)) over its mean, the Bessel function I0(kappa).
    """
    voiced = f0 > _PROSODY_FLOOR_HZ
    kappa = np.minimum(_BREATH_HZ / np.maximum(f0, _BREATH_HZ), 1.0) * voiced
    lead = (2 * np.pi * _BREATH_LEAD_SECONDS * f0).astype(np.float32)[:, None]
    depth = (0.5 * kappa).astype(np.float32)[:, None]
    scale = (1 / np.sqrt(np.i0(kappa))).astype(np.float32)[:, None]
    breath: NDArray[np.float32] = scale * np.exp(depth * np.cos(angle + lead))
    return breath


def prosody(f0: NDArray[np.float32], energy: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return what the decoder reads of F0 (Hz) and log energy, both [frames], as [4, frames].

    Rows: log(F0 / 200 Hz) where voiced, the voiced flag, energy / 8, and F0 below 60 Hz (which
    shows the decoder how unvoiced the encoder holds a frame).
    """
    voiced = (f0 > VOICED_ABOVE_HZ).astype(np.float32)
    log_f0 = np.log(np.maximum(f0, _PROSODY_FLOOR_HZ) / _REFERENCE_HZ) * voiced
    return np.stack([log_f0, voiced, energy / 8, np.clip(f0, 0, 60) / 60]).astype(np.float32)
