"""The sizes of a CosyVoice 1 model. FULL is the 300M model; tests build small ones.

What follows from the structure (the number of harmonics, of guidance rows, of ids) is not here but
where it is used. Notation of the reference: d = dim, H = heads, dk = head_dim, F = hidden.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

SPEAKERS = {
    "中文女": "zh_female_01",
    "中文男": "zh_male_01",
    "日语男": "ja_male_01",
    "粤语女": "yue_female_01",
    "英文女": "en_female_01",
    "英文男": "en_male_01",
    "韩语女": "ko_female_01",
}
"""The speakers of the SFT checkpoint and the voices they are here."""


class Activation(StrEnum):
    RELU = "Relu"
    SILU = "SiLU"


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderConfig:
    """A stack of transformer blocks with relative positions.

    `attention_norm` and `feed_forward_norm` are the names of its layers' norms in the checkpoint.
    """

    prefix: str
    input_dim: int
    dim: int
    heads: int
    head_dim: int
    hidden: int
    layers: int
    causal: bool
    activation: Activation
    attention_norm: str = "norm_mha"
    feed_forward_norm: str = "norm_ff"
    input_relu: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimatorConfig:
    """The U-Net that estimates the flow's velocity; `time_dim` is that of its time embedding."""

    channels: int
    heads: int
    head_dim: int
    hidden: int
    time_dim: int
    blocks: int
    middle: int
    groups: int = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class VocoderConfig:
    """HiFT: `channels` halve at each upsampling; rates and kernels in samples of their stage."""

    channels: int
    upsample_rates: tuple[int, int]
    upsample_kernels: tuple[int, int]
    source_kernels: tuple[int, int]
    kernels: tuple[int, ...]
    f0_channels: int
    dilations: tuple[int, ...] = (1, 3, 5)
    fft: int = 16
    stft_hop: int = 4
    harmonics: int = 9

    @property
    def bins(self) -> int:
        return self.fft // 2 + 1

    @property
    def hop(self) -> int:
        """Samples per mel frame."""
        return self.upsample_rates[0] * self.upsample_rates[1] * self.stft_hop


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """A whole model. Ids: speech tokens are 0 to `speech_vocab` - 1, EOS is `speech_vocab`."""

    text_vocab: int
    text_dim: int
    speech_vocab: int
    speaker_dim: int
    mel: int
    text_encoder: EncoderConfig
    speech_lm: EncoderConfig
    flow_encoder: EncoderConfig
    estimator: EstimatorConfig
    vocoder: VocoderConfig
    sample_rate: int = 22050
    token_rate: int = 50

    def frames(self, tokens: int) -> int:
        """Return how many mel frames `tokens` speech tokens become.

        The order of the floating-point operations is the official one: it decides roundings.
        """
        return int(tokens / self.token_rate * self.sample_rate / self.vocoder.hop)


FULL = Config(
    text_vocab=51866,
    text_dim=512,
    speech_vocab=4096,
    speaker_dim=192,
    mel=80,
    text_encoder=EncoderConfig(
        prefix="text_encoder.",
        input_dim=512,
        dim=1024,
        heads=16,
        head_dim=64,
        hidden=4096,
        layers=6,
        causal=True,
        activation=Activation.SILU,
    ),
    speech_lm=EncoderConfig(
        prefix="llm.",
        input_dim=1024,
        dim=1024,
        heads=16,
        head_dim=64,
        hidden=4096,
        layers=14,
        causal=True,
        activation=Activation.RELU,
        attention_norm="norm1",
        feed_forward_norm="norm2",
        input_relu=True,
    ),
    flow_encoder=EncoderConfig(
        prefix="encoder.",
        input_dim=512,
        dim=512,
        heads=8,
        head_dim=64,
        hidden=2048,
        layers=6,
        causal=False,
        activation=Activation.SILU,
    ),
    estimator=EstimatorConfig(
        channels=256, heads=8, head_dim=64, hidden=1024, time_dim=1024, blocks=4, middle=12
    ),
    vocoder=VocoderConfig(
        channels=512,
        upsample_rates=(8, 8),
        upsample_kernels=(16, 16),
        source_kernels=(7, 11),
        kernels=(3, 7, 11),
        f0_channels=512,
    ),
)
