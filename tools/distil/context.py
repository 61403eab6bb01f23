"""The context network: what each phoneme of a sentence must know of the others.

Kokoro asks PL-BERT, twelve passes of 768 channels, 66 million multiply-adds a token and three
fifths of the encoder's work. Only durations, pitch and energy listen to it, not the sounds.

Shapes: B sentences, N tokens with the pads at both ends.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn import functional

CONTEXT_CHANNELS = 512
"""What the encoder reads of a token."""
POSITIONS = 512
_HEAD = 64
_TAPS = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The size of a context network."""

    symbols: int = 178
    width: int = 256
    blocks: int = 6


class Block(nn.Module):
    """Neighbours by a convolution, the sentence by attention, then each token by itself."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        width = shape.width
        self.heads = width // _HEAD
        self.normalise_near = nn.LayerNorm(width)
        self.near = nn.Conv1d(width, width, _TAPS, padding=_TAPS // 2, groups=width)
        self.normalise_far = nn.LayerNorm(width)
        self.query_key_value = nn.Linear(width, 3 * width)
        self.gather = nn.Linear(width, width)
        self.normalise = nn.LayerNorm(width)
        self.expand = nn.Linear(width, 4 * width)
        self.reduce = nn.Linear(4 * width, width)
        for last in (self.gather, self.reduce):
            nn.init.normal_(last.weight, 0, 0.02 / math.sqrt(2 * shape.blocks))
            nn.init.zeros_(last.bias)
        nn.init.zeros_(self.near.weight)
        assert self.near.bias is not None  # noqa: S101 - it has one
        nn.init.zeros_(self.near.bias)

    def forward(self, hidden: Tensor, real: Tensor | None) -> Tensor:
        """[B, N, width], real tokens [B, N] (None: all) -> [B, N, width]."""
        batch, count, width = hidden.shape
        near = self.normalise_near(hidden)
        if real is not None:
            near = near * real[:, :, None]
        hidden = hidden + self.near(near.transpose(1, 2)).transpose(1, 2)
        parts = self.query_key_value(self.normalise_far(hidden)).chunk(3, -1)
        query, key, value = (
            part.view(batch, count, self.heads, _HEAD).transpose(1, 2) for part in parts
        )
        mask = None if real is None else real[:, None, None, :]
        seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        hidden = hidden + self.gather(seen.transpose(1, 2).reshape(batch, count, width))
        inner = functional.gelu(self.expand(self.normalise(hidden)))
        total: Tensor = hidden + self.reduce(inner)
        return total


class Context(nn.Module):
    """Tokens to what the encoder reads of each."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.symbols = nn.Embedding(shape.symbols, shape.width)
        self.positions = nn.Embedding(POSITIONS, shape.width)
        nn.init.normal_(self.symbols.weight, 0, 0.1)
        nn.init.normal_(self.positions.weight, 0, 0.02)
        self.blocks = nn.ModuleList([Block(shape) for _ in range(shape.blocks)])
        self.normalise = nn.LayerNorm(shape.width)
        self.write = nn.Linear(shape.width, CONTEXT_CHANNELS)

    def forward(self, tokens: Tensor, real: Tensor | None = None) -> Tensor:
        """[B, N] of at most POSITIONS tokens, real ones [B, N] (None: all) -> [B, N, 512]."""
        hidden = self.symbols(tokens) + self.positions.weight[: tokens.shape[1]]
        for block in self.blocks:
            hidden = block(hidden, real)
        context: Tensor = self.write(self.normalise(hidden))
        return context
