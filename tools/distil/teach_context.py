"""Let the teacher's context network read: phonemes to context, a thousand utterances a file.

    python teach_context.py work/context --prose work/prose --files 16

Two fifths of the utterances are lines of the corpus, the rest sentences of the folder `--prose`: a
text file for each language (`zh.txt` …), one sentence a line. A tenth of the files holds long
utterances, sentences of one language strung together. Can be killed and started again: a file of a
number is the same in every run, and what is there is not made again.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import numpy as np
from corpus import Corpus
from teach import write

from cosyvoice_wyoming.bundles.lite_files import PLBERT
from cosyvoice_wyoming.engine.kokoro.encoder import LONGEST_SYMBOLS, PAD
from cosyvoice_wyoming.engine.kokoro.pieces import pieces
from cosyvoice_wyoming.engine.kokoro.session import Session
from cosyvoice_wyoming.phonemes import phonemize, symbol_ids
from cosyvoice_wyoming.text import prepare
from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.spoken import Segment

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEED = 1
UTTERANCES = 1000
LONG_EVERY = 10
"""Of the files, that with long utterances, a fifth as many."""
_SHORTEST_LONG = 180
_CORPUS_SHARE = 0.4
_ASKED, _EXCLAIMED = 0.12, 0.08
"""Parts of the statements in the prose that get another mark, since manuals never ask."""
_MARKS = {"。": "？！", ".": "?!"}


class Texts:
    """Draws utterances: sentences of the prose and lines of the corpus."""

    def __init__(self, prose: Path) -> None:
        self._corpus = Corpus()
        self._prose = {
            language: (prose / f"{language}.txt").read_text("utf-8").splitlines()
            for language in Language
        }

    def draw(self, draw: Random, language: Language) -> list[int]:
        """Return the ids of an utterance's phonemes, possibly none."""
        if draw.random() < _CORPUS_SHARE:
            line = self._corpus.line(language, draw)
            return ids_of(line.text, line.language)
        return ids_of(_marked(draw.choice(self._prose[language]), draw), language)


def main() -> None:
    """Write the files that are missing."""
    parser = argparse.ArgumentParser(description="Let the teacher's context network read")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--prose", type=Path, required=True)
    parser.add_argument("--bundle", type=Path, default=Path("../../data/models/lite-hq"))
    parser.add_argument("--files", type=int, default=16)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    texts = Texts(arguments.prose)
    teacher = Session(arguments.bundle / PLBERT, threads=1)
    started, tokens = time.monotonic(), 0
    for number in range(arguments.files):
        path = arguments.folder / f"{number:03d}.npz"
        if path.exists():
            continue
        tokens += keep(path, read(texts, number), teacher)
        print(f"{path.name}: {tokens} tokens after {time.monotonic() - started:.0f} s", flush=True)


def ids_of(text: str, language: Language) -> list[int]:
    """Return the ids of a text's phonemes as the server would read it, the first piece of it."""
    spoken = prepare(Segment(text=text), language)
    if spoken is None:
        return []
    first = next(pieces(phonemize(spoken), LONGEST_SYMBOLS), None)
    known = symbol_ids()
    return [] if first is None else [known[symbol] for symbol in first.symbols]


def read(texts: Texts, number: int) -> list[list[int]]:
    """Return the utterances of a file."""
    draw = Random(f"{SEED} context {number}")  # noqa: S311 - a corpus, not a key
    is_long = number % LONG_EVERY == LONG_EVERY - 1
    wanted = UTTERANCES // 5 if is_long else UTTERANCES
    found: list[list[int]] = []
    while len(found) < wanted:
        language = draw.choice(list(Language))
        utterance = texts.draw(draw, language)
        least = draw.randint(_SHORTEST_LONG, LONGEST_SYMBOLS) if is_long else 1
        while len(utterance) < least:
            utterance = [*utterance, symbol_ids()[" "], *texts.draw(draw, language)]
        found.append(utterance[:LONGEST_SYMBOLS])
    return found


def keep(path: Path, utterances: list[list[int]], teacher: Session) -> int:
    """Write tokens, context and where each utterance begins; return how many tokens."""
    tokens = [np.array([PAD, *utterance, PAD]) for utterance in utterances]
    contexts = [context_of(teacher, row) for row in tokens]
    write(
        path,
        tokens=np.concatenate(tokens).astype(np.uint8),
        context=np.concatenate(contexts).astype(np.float16),
        begins=np.cumsum([0, *map(len, tokens)]),
    )
    return sum(map(len, tokens))


def context_of(network: Session, tokens: NDArray[np.integer]) -> NDArray[np.float32]:
    """Return the context [N, 512] of the tokens [N], the pads included."""
    context: NDArray[np.float32] = network.run(("context",), tokens=tokens[None].astype(np.int64))[
        0
    ]
    return context[0]


def _marked(sentence: str, draw: Random) -> str:
    chance, marks = draw.random(), _MARKS.get(sentence[-1:])
    if marks is None or chance >= _ASKED + _EXCLAIMED:
        return sentence
    return sentence[:-1] + marks[0 if chance < _ASKED else 1]


if __name__ == "__main__":
    main()
