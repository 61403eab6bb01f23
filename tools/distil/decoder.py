"""The distilled waveform decoder: a ConvNeXt body that filters a pulse train and noise.

Shapes: B utterances, F acoustic frames (40 Hz, 600 samples), 2F prosody frames (80 Hz), 4F frames
of the filter (160 Hz, 150 samples), K = 301 bins of 40 Hz.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from cosyvoice_wyoming.engine.kokoro.filters import (
    BINS,
    HOP,
    LOUDEST_NOISE_FILTER,
    LOUDEST_PULSE_FILTER,
    N_FFT,
)

ACOUSTIC_HOP = 600
ACOUSTIC_CHANNELS = 512
STYLE_CHANNELS = 128
CONTEXT = 14
"""Acoustic frames on each side that make windowed synthesis equal to whole synthesis: eight blocks
and the prosody's convolution reach 27 prosody frames, the STFT less than one acoustic frame."""

_MARGIN = (N_FFT - HOP) // 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The size of a decoder."""

    width: int = 256
    blocks: int = 8
    style: int = 64


class Stft(nn.Module):
    """Frame j is centred at sample 150j + 75, so L samples are exactly L / 150 frames.

    The overlapping windows add up to a constant gain, which needs no division by a window sum at
    the edges: windowed synthesis stays exact.
    """

    window: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("window", torch.hann_window(N_FFT), persistent=False)
        self.gain = HOP / float((torch.hann_window(N_FFT) ** 2).sum())

    def analyse(self, samples: Tensor) -> Tensor:
        """[B, L] -> complex [B, L / 150, K]."""
        padded = functional.pad(samples, (_MARGIN, _MARGIN))
        return torch.fft.rfft(padded.unfold(1, N_FFT, HOP) * self.window)

    def synthesise(self, spectrum: Tensor) -> Tensor:
        """Complex [B, J, K] -> [B, 150 J]."""
        frames = torch.fft.irfft(spectrum, n=N_FFT) * (self.window * self.gain)
        overlap = N_FFT // HOP
        parts = frames.unflatten(2, (overlap, HOP)).unbind(2)
        added = sum(functional.pad(p, (0, 0, k, overlap - 1 - k)) for k, p in enumerate(parts))
        assert isinstance(added, Tensor)  # noqa: S101 - sum() is typed as Tensor | int
        flat = added.flatten(1)
        return flat[:, _MARGIN : _MARGIN + spectrum.shape[1] * HOP]


class Block(nn.Module):
    """ConvNeXt block whose normalisation is scaled and shifted by the voice's style (FiLM)."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        width = shape.width
        self.mix_time = nn.Conv1d(width, width, 7, padding=3, groups=width)
        self.normalise = nn.LayerNorm(width, eps=1e-5, elementwise_affine=False)
        self.film = nn.Linear(shape.style, 2 * width)
        self.expand = nn.Linear(width, 3 * width)
        self.reduce = nn.Linear(3 * width, width)
        self.scale = nn.Parameter(torch.full((width,), 0.3))
        nn.init.zeros_(self.film.weight)
        nn.init.zeros_(self.film.bias)

    def forward(self, hidden: Tensor, style: Tensor) -> Tensor:
        """[B, width, T], [B, style] -> [B, width, T]."""
        gain, shift = self.film(style)[:, None].chunk(2, -1)
        inner = self.normalise(self.mix_time(hidden).transpose(1, 2)) * (1 + gain) + shift
        inner = self.reduce(functional.gelu(self.expand(inner))) * self.scale
        return hidden + inner.transpose(1, 2)


class Decoder(nn.Module):
    """Acoustic features, prosody and style to a filter for pulses and a filter for noise."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.stft = Stft()
        self.read_style = nn.Sequential(nn.Linear(STYLE_CHANNELS, shape.style), nn.SiLU())
        self.read_acoustic = nn.Conv1d(ACOUSTIC_CHANNELS, shape.width, 3, padding=1)
        self.read_prosody = nn.Conv1d(4, shape.width, 7, padding=3)
        self.blocks = nn.ModuleList([Block(shape) for _ in range(shape.blocks)])
        self.normalise = nn.LayerNorm(shape.width)
        self.write = nn.Linear(shape.width, 2 * 3 * BINS)
        nn.init.normal_(self.write.weight, 0, 0.01)
        with torch.no_grad():  # start near silence: a soft pulse filter, softer noise
            bias = self.write.bias.view(2, 3, BINS)
            bias[:, 0], bias[:, 1], bias[:, 2] = -3.5, 0.0, -6.0

    def filters(self, acoustic: Tensor, prosody: Tensor, style: Tensor) -> Tensor:
        """[B, 512, F], [B, 4, 2F], [B, 128] -> [B, 4F, 3, K].

        Of the three: log magnitude and phase (radians) of the pulse filter, log magnitude of the
        noise filter.
        """
        voice = self.read_style(style * 4)  # inputs are scaled to about unit variance
        hidden = self.read_acoustic(acoustic * 3).repeat_interleave(2, dim=2)
        hidden = hidden + self.read_prosody(prosody)
        for block in self.blocks:
            hidden = block(hidden, voice)
        out = self.write(self.normalise(hidden.transpose(1, 2)))
        return out.view(out.shape[0], 2 * out.shape[1], 3, BINS)

    def synthesise_draws(self, filters: Tensor, pulses: Tensor, noise: Tensor) -> Tensor:
        """[B, 4F, 3, K], [B, 600F], n draws [n, B, 600F] -> samples [n, B, 600F]."""
        log_pulse, phase, log_noise = filters.unbind(2)
        pulse_filter = torch.polar(log_pulse.clamp(max=LOUDEST_PULSE_FILTER).exp(), phase)
        noise_filter = log_noise.clamp(max=LOUDEST_NOISE_FILTER).exp()
        voiced = pulse_filter * self.stft.analyse(pulses)
        spectra = [voiced + noise_filter * self.stft.analyse(draw) for draw in noise]
        return torch.stack([self.stft.synthesise(spectrum) for spectrum in spectra])

    def synthesise(self, filters: Tensor, pulses: Tensor, noise: Tensor) -> Tensor:
        """[B, 4F, 3, K], [B, 600F], [B, 600F] -> samples [B, 600F]."""
        return self.synthesise_draws(filters, pulses, noise[None])[0]

    def forward(
        self, acoustic: Tensor, prosody: Tensor, style: Tensor, pulses: Tensor, noise: Tensor
    ) -> Tensor:
        """Return samples [B, 600F]."""
        return self.synthesise(self.filters(acoustic, prosody, style), pulses, noise)


class Product(nn.Module):
    """A convolution as a product of its neighbouring frames, put side by side.

    ONNX Runtime adds up a convolution in another order for another number of frames; a product of
    a row is always the same, and a window exactly what it is in the whole.
    """

    def __init__(self, convolution: nn.Conv1d) -> None:
        super().__init__()
        (self.taps,) = convolution.kernel_size
        self.linear = nn.Linear(self.taps * convolution.in_channels, convolution.out_channels)
        with torch.no_grad():
            self.linear.weight.copy_(convolution.weight.transpose(1, 2).flatten(1))
            assert convolution.bias is not None  # noqa: S101 - the decoder's have one
            self.linear.bias.copy_(convolution.bias)

    def forward(self, hidden: Tensor) -> Tensor:
        """[B, in, T] -> [B, out, T]."""
        padded = functional.pad(hidden.transpose(1, 2), (0, 0, self.taps // 2, self.taps // 2))
        frames = hidden.shape[2]
        near = torch.cat([padded[:, tap : tap + frames] for tap in range(self.taps)], 2)
        product: Tensor = self.linear(near)
        return product.transpose(1, 2)


class Filters(nn.Module):
    """What of a decoder becomes ONNX: the filters. The server applies them in numpy."""

    def __init__(self, decoder: Decoder) -> None:
        super().__init__()
        self.decoder = copy.deepcopy(decoder)
        self.decoder.read_acoustic = Product(decoder.read_acoustic)  # type: ignore[assignment]

    def forward(self, acoustic: Tensor, prosody: Tensor, style: Tensor) -> Tensor:
        """Return the filters [1, 4F, 3, K]."""
        return self.decoder.filters(acoustic, prosody, style)
