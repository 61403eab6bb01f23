"""Text to the ids of Whisper's multilingual vocabulary, with SentencePiece doing the merges.

`vocabulary` turns the vocabulary's ranks into a SentencePiece model with the same ids; what that
model cannot do is the cut into words beforehand, which is here. The ids are those of tiktoken but
for characters that Unicode 14 does not have.
"""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cosyvoice_wyoming.engine.cosyvoice.vocabulary import BYTE_CHARACTERS, LANGUAGE_TAGS
from cosyvoice_wyoming.errors import ModelCorrupt
from cosyvoice_wyoming.text.language import Language

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CONTROL = re.compile(
    r"<\|(?:endoftext|startoftranscript|translate|transcribe|startoflm|startofprev|nospeech"
    r"|notimestamps|[a-z]{2,3}|\d{1,2}\.\d\d)\|>"
)
"""Control tokens. The model obeys them, so text from outside never becomes one."""

_SPACES = frozenset("\t\n\v\f\r\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | {
    chr(code) for code in range(0x2000, 0x200B)
}
_LETTER, _NUMBER, _SPACE, _OTHER = "a", "0", "\n", "."
_CONTRACTED = "strevmld"
"""The letters of 's 't 're 've 'm 'll 'd; each stands for itself below."""

_WORDS = re.compile(r"'(?:s|t|re|ve|m|ll|d)| ?[a-z]+| ?0+| ?[.']+|[ \n]+(?![^ \n])|[ \n]+")
r"""Whisper's pattern over kinds of characters instead of characters:

    's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
"""

_ENDERS = "。？！；：、.?!;:…"


class _Kinds(dict[int, str]):
    """The kind of a character by code point, looked up once."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if character in " '" or character in _CONTRACTED:
            kind = character
        elif character in _SPACES:
            kind = _SPACE
        else:
            category = unicodedata.category(character)[0]
            kind = {"L": _LETTER, "N": _NUMBER}.get(category, _OTHER)
        self[code] = kind
        return kind


_KINDS = _Kinds()
_BYTES = dict(enumerate(BYTE_CHARACTERS))


class Tokenizer:
    """Ids of texts."""

    def __init__(self, model: Path) -> None:
        import sentencepiece

        try:
            self._processor: Any = sentencepiece.SentencePieceProcessor(model_file=str(model))
        except (OSError, RuntimeError) as error:
            raise ModelCorrupt(f"{model.name} cannot be loaded; fetch the model again.") from error

    def encode(self, text: str) -> list[int]:
        """Return the ids of `text` without its control tokens."""
        ids: list[int] = []
        for word in split_words(_CONTROL.sub("", mend_surrogates(text))):
            raw = word.encode("utf-8").decode("latin-1").translate(_BYTES)
            ids += self._processor.encode(raw)
        return ids

    def prompt(self, text: str, language: Language) -> NDArray[np.int64]:
        """Return the ids of a sentence behind the tag of its language; empty for no text.

        A sentence without an end mark gets one: without it the model may not stop.
        """
        text = text.strip()
        if not text:
            return np.zeros(0, np.int64)
        if text[-1] not in _ENDERS:
            text += "." if language in (Language.EN, Language.KO) else "。"
        return np.array([LANGUAGE_TAGS[language], *self.encode(text)], np.int64)


def split_words(text: str) -> list[str]:
    """Cut text into the pieces between which nothing is merged."""
    kinds = text.translate(_KINDS)
    return [text[match.start() : match.end()] for match in _WORDS.finditer(kinds)]


def mend_surrogates(text: str) -> str:
    """Join pairs of surrogates and replace single ones: they have no bytes in UTF-8."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
