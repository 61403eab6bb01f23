"""Names and shapes of every tensor of the official checkpoints, derived from the architecture.

Weight-normed convolutions are listed once, as the `weight` that they fold to: `weights` accepts
either of the two ways in which PyTorch writes the halves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cosyvoice_wyoming.engine.cosyvoice.config import (
    Config,
    EncoderConfig,
    EstimatorConfig,
    VocoderConfig,
)

LM_FILE = "llm.pt"
FLOW_FILE = "flow.pt"
VOCODER_FILE = "hift.pt"
SPEAKERS_FILE = "spk2info.pt"


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorSpec:
    """A tensor that a checkpoint must hold; `normed` where weight norm splits it in two."""

    name: str
    shape: tuple[int, ...]
    normed: bool = False


def checkpoint_layout(config: Config) -> dict[str, tuple[TensorSpec, ...]]:
    """Return what each checkpoint file holds."""
    return {
        LM_FILE: tuple(_lm(config)),
        FLOW_FILE: tuple(_flow(config)),
        VOCODER_FILE: tuple(_vocoder(config.vocoder, config.mel)),
    }


def _weight(name: str, *shape: int) -> TensorSpec:
    return TensorSpec(name=f"{name}.weight", shape=shape)


def _linear(name: str, out: int, *fan_in: int) -> Iterator[TensorSpec]:
    yield _weight(name, out, *fan_in)
    yield TensorSpec(name=f"{name}.bias", shape=(out,))


def _norm(name: str, dim: int) -> Iterator[TensorSpec]:
    yield from _linear(name, dim)


def _lm(config: Config) -> Iterator[TensorSpec]:
    dim = config.speech_lm.dim
    yield _weight("text_embedding", config.text_vocab, config.text_dim)
    yield from _encoder(config.text_encoder)
    yield from _linear("text_encoder_affine_layer", dim, config.text_encoder.dim)
    yield _weight("llm_embedding", 2, dim)
    yield from _encoder(config.speech_lm)
    yield from _linear("llm_decoder", config.speech_vocab + 1, dim)
    yield _weight("speech_embedding", config.speech_vocab, dim)
    yield from _linear("spk_embed_affine_layer", dim, config.speaker_dim)


def _encoder(encoder: EncoderConfig) -> Iterator[TensorSpec]:
    dim = encoder.dim
    yield from _linear(f"{encoder.prefix}embed.out.0", dim, encoder.input_dim)
    yield from _norm(f"{encoder.prefix}embed.out.1", dim)
    yield from _norm(f"{encoder.prefix}after_norm", dim)
    inner = encoder.heads * encoder.head_dim
    for layer in range(encoder.layers):
        prefix = f"{encoder.prefix}encoders.{layer}."
        for bias in ("pos_bias_u", "pos_bias_v"):
            yield TensorSpec(
                name=f"{prefix}self_attn.{bias}", shape=(encoder.heads, encoder.head_dim)
            )
        for part in ("q", "k", "v"):
            yield from _linear(f"{prefix}self_attn.linear_{part}", inner, dim)
        yield from _linear(f"{prefix}self_attn.linear_out", dim, inner)
        yield _weight(f"{prefix}self_attn.linear_pos", inner, dim)
        yield from _linear(f"{prefix}feed_forward.w_1", encoder.hidden, dim)
        yield from _linear(f"{prefix}feed_forward.w_2", dim, encoder.hidden)
        yield from _norm(f"{prefix}{encoder.attention_norm}", dim)
        yield from _norm(f"{prefix}{encoder.feed_forward_norm}", dim)


def _flow(config: Config) -> Iterator[TensorSpec]:
    mel, encoder = config.mel, config.flow_encoder
    yield _weight("input_embedding", config.speech_vocab, encoder.input_dim)
    yield from _linear("spk_embed_affine_layer", mel, config.speaker_dim)
    yield from _encoder(encoder)
    yield from _linear("encoder_proj", mel, encoder.dim)
    for index in (0, 3, 6, 9):
        yield from _linear(f"length_regulator.model.{index}", mel, mel, 3)
        yield from _norm(f"length_regulator.model.{index + 1}", mel)
    yield from _linear("length_regulator.model.12", mel, mel, 1)
    yield from _estimator(config.estimator, mel)


def _estimator(estimator: EstimatorConfig, mel: int) -> Iterator[TensorSpec]:
    prefix, channels = "decoder.estimator.", estimator.channels
    yield from _linear(f"{prefix}time_mlp.linear_1", estimator.time_dim, 4 * mel)
    yield from _linear(f"{prefix}time_mlp.linear_2", estimator.time_dim, estimator.time_dim)
    yield from _stage(f"{prefix}down_blocks.0.", estimator, 4 * mel)
    yield from _linear(f"{prefix}down_blocks.0.2.conv", channels, channels, 3)
    yield from _stage(f"{prefix}down_blocks.1.", estimator, channels)
    yield from _linear(f"{prefix}down_blocks.1.2", channels, channels, 3)
    for index in range(estimator.middle):
        yield from _stage(f"{prefix}mid_blocks.{index}.", estimator, channels)
    yield from _stage(f"{prefix}up_blocks.0.", estimator, 2 * channels)
    yield from _linear(f"{prefix}up_blocks.0.2.conv", channels, channels, 4)
    yield from _stage(f"{prefix}up_blocks.1.", estimator, 2 * channels)
    yield from _linear(f"{prefix}up_blocks.1.2", channels, channels, 3)
    yield from _linear(f"{prefix}final_block.block.0", channels, channels, 3)
    yield from _norm(f"{prefix}final_block.block.1", channels)
    yield from _linear(f"{prefix}final_proj", mel, channels, 1)


def _stage(prefix: str, estimator: EstimatorConfig, inputs: int) -> Iterator[TensorSpec]:
    """Yield a residual convolution block and the transformer blocks behind it."""
    channels, inner = estimator.channels, estimator.heads * estimator.head_dim
    yield from _linear(f"{prefix}0.mlp.1", channels, estimator.time_dim)
    yield from _linear(f"{prefix}0.block1.block.0", channels, inputs, 3)
    yield from _norm(f"{prefix}0.block1.block.1", channels)
    yield from _linear(f"{prefix}0.block2.block.0", channels, channels, 3)
    yield from _norm(f"{prefix}0.block2.block.1", channels)
    yield from _linear(f"{prefix}0.res_conv", channels, inputs, 1)
    for index in range(estimator.blocks):
        block = f"{prefix}1.{index}."
        yield from _norm(f"{block}norm1", channels)
        for part in ("q", "k", "v"):
            yield _weight(f"{block}attn1.to_{part}", inner, channels)
        yield from _linear(f"{block}attn1.to_out.0", channels, inner)
        yield from _norm(f"{block}norm3", channels)
        yield from _linear(f"{block}ff.net.0.proj", estimator.hidden, channels)
        yield from _linear(f"{block}ff.net.2", channels, estimator.hidden)


def _normed(name: str, bias: int, *shape: int) -> Iterator[TensorSpec]:
    yield TensorSpec(name=f"{name}.bias", shape=(bias,))
    yield TensorSpec(name=f"{name}.weight", shape=shape, normed=True)


def _vocoder(vocoder: VocoderConfig, mel: int) -> Iterator[TensorSpec]:
    channels, spectrum = vocoder.channels, 2 * vocoder.bins
    yield from _linear("m_source.l_linear", 1, vocoder.harmonics)
    yield from _normed("conv_pre", channels, channels, mel, 7)
    down = vocoder.upsample_rates[1]
    for stage, kernel in enumerate(vocoder.upsample_kernels):
        inputs, outputs = channels >> stage, channels >> (stage + 1)
        yield from _normed(f"ups.{stage}", outputs, inputs, outputs, kernel)
        source_kernel = 2 * down if stage == 0 else 1
        yield from _linear(f"source_downs.{stage}", outputs, spectrum, source_kernel)
        yield from _residual(
            f"source_resblocks.{stage}.", outputs, vocoder.source_kernels[stage], vocoder
        )
        for index, size in enumerate(vocoder.kernels):
            number = stage * len(vocoder.kernels) + index
            yield from _residual(f"resblocks.{number}.", outputs, size, vocoder)
    yield from _normed("conv_post", spectrum, spectrum, channels >> 2, 7)
    for index in range(5):
        inputs = vocoder.f0_channels if index else mel
        yield from _normed(
            f"f0_predictor.condnet.{2 * index}", vocoder.f0_channels, vocoder.f0_channels, inputs, 3
        )
    yield from _linear("f0_predictor.classifier", 1, vocoder.f0_channels)


def _residual(
    prefix: str, channels: int, kernel: int, vocoder: VocoderConfig
) -> Iterator[TensorSpec]:
    for index in range(len(vocoder.dilations)):
        for half in (1, 2):
            yield from _normed(f"{prefix}convs{half}.{index}", channels, channels, channels, kernel)
            yield TensorSpec(name=f"{prefix}activations{half}.{index}.alpha", shape=(channels,))
