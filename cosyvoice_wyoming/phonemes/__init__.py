"""Words to phonemes, in the symbols of the Kokoro vocabulary, one module per language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cosyvoice_wyoming.phonemes.marks import plain_marks, spell_digits
from cosyvoice_wyoming.phonemes.notation import from_notation
from cosyvoice_wyoming.phonemes.readers import reader
from cosyvoice_wyoming.phonemes.scripts import runs
from cosyvoice_wyoming.phonemes.symbols import Phonemes, TonedSyllable, join, symbol_ids
from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.spoken import Span, Spoken

__all__ = ["Phonemes", "TonedSyllable", "from_notation", "phonemize", "preload", "symbol_ids"]


def phonemize(spoken: Spoken) -> Phonemes:
    """Pronounce every span of `spoken` in its own language.

    Words in a script that a span's language does not read are read by the language of that
    script. Never raises for any text; only symbols of the vocabulary come back.
    """
    return join(part for span in spoken.spans for part in _pronounce(span))


def preload(languages: Iterable[Language]) -> None:
    """Load what `languages` need now rather than at their first sentence."""
    for language in languages:
        reader(language)


def _pronounce(span: Span) -> Iterator[Phonemes]:
    if span.phonemes and (given := from_notation(span.phonemes)).symbols:
        yield given
        return
    for run in runs(plain_marks(span.text), span.language):
        yield reader(run.language).read(spell_digits(run.text, run.language))
