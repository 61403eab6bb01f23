"""Whisper's multilingual vocabulary as a SentencePiece model.

A piece is a run of bytes, each written as GPT-2's character for it; its score is minus its rank, so
that SentencePiece merges in the order of the ranks, and its place is its rank, so that ids agree.
"""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from typing import Any

from cosyvoice_wyoming.errors import ModelCorrupt
from cosyvoice_wyoming.text.language import Language

RANKS_FILE = "multilingual.tiktoken"
MODEL_FILE = "text.model"

LANGUAGE_TAGS = {
    Language.EN: 50259,
    Language.ZH: 50260,
    Language.KO: 50264,
    Language.JA: 50266,
    Language.YUE: 50358,
}
"""<|en|>, <|zh|> and so on, among Whisper's 100 languages."""

_SPECIALS = 1609
"""Control tokens behind the ranks: 2 + 100 languages + 6 + 1501 times."""


def _byte_characters() -> str:
    """Return GPT-2's 256 characters: printable bytes stand for themselves, others from 256 on."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(256, 512))
    return "".join(chr(byte if byte in printable else next(others)) for byte in range(256))


BYTE_CHARACTERS = _byte_characters()


def read_ranks(path: Path) -> list[bytes]:
    """Return the vocabulary's entries in the order of their ranks.

    Raises ModelCorrupt where the file is not a list of base64 entries with ranks from 0 on.
    """
    try:
        lines = [line.split() for line in path.read_text("ascii").splitlines() if line]
        entries = [base64.b64decode(entry, validate=False) for entry, _ in lines]
        in_order = all(int(rank) == index for index, (_, rank) in enumerate(lines))
    except (UnicodeDecodeError, ValueError, binascii.Error) as error:
        raise ModelCorrupt(f"{path.name} is no list of tokens.") from error
    if not entries or not in_order:
        raise ModelCorrupt(f"{path.name} is no list of tokens in the order of their ranks.")
    return entries


def write_model(ranks: list[bytes], path: Path) -> None:
    """Write the SentencePiece model. The empty entry and the control tokens become control pieces.

    Needs protobuf, which comes with onnx.
    """
    from sentencepiece import sentencepiece_model_pb2

    schema: Any = sentencepiece_model_pb2  # its names are made at import

    model = schema.ModelProto()
    kinds = schema.ModelProto.SentencePiece
    for rank, entry in enumerate(ranks):
        if entry:
            piece = "".join(BYTE_CHARACTERS[byte] for byte in entry)
            model.pieces.add(piece=piece, score=-float(rank), type=kinds.NORMAL)
        else:
            model.pieces.add(piece=f"<empty {rank}>", score=0, type=kinds.CONTROL)
    for number in range(_SPECIALS):
        model.pieces.add(piece=f"<control {number}>", score=0, type=kinds.CONTROL)
    unknown = len(model.pieces)
    model.pieces.add(piece="<unk>", score=0, type=kinds.UNKNOWN)
    trainer, normalizer = model.trainer_spec, model.normalizer_spec
    trainer.model_type = schema.TrainerSpec.BPE
    trainer.unk_id = unknown
    trainer.bos_id = trainer.eos_id = trainer.pad_id = -1
    trainer.vocab_size = len(model.pieces)
    normalizer.name = "identity"
    normalizer.add_dummy_prefix = False
    normalizer.remove_extra_whitespaces = False
    normalizer.escape_whitespaces = False
    path.write_bytes(model.SerializeToString())
