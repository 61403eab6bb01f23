"""The user's own pronunciations: `from → to`, one a line, in a text file."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass, field
from pathlib import Path

from cosyvoice_wyoming.text.language import Language, parse_tag

_LOGGER = logging.getLogger(__name__)

_ARROW = re.compile(r"\s*(?:→|->|=>|\t)\s*")
_TAGS = re.compile(r"((?:[A-Za-z_-]{2,12}\s*,\s*)*[A-Za-z_-]{2,12})\s*[:：]\s*")
_MOST_CHARACTERS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What is written, what is said instead, and in which languages (none: in all)."""

    written: str
    spoken: str
    languages: frozenset[Language] = frozenset()


@dataclass(frozen=True, slots=True)
class Dictionary:
    """Replacements; where several fit at one place, the longest wins. Empty by default."""

    entries: tuple[Entry, ...] = ()
    _patterns: dict[Language, re.Pattern[str] | None] = field(
        default_factory=dict, compare=False, repr=False
    )

    def apply(self, text: str, language: Language) -> str:
        """Return the text with what this dictionary knows replaced; replacements stay as they are.

        Latin words match whole and in any case, other text wherever it stands.
        """
        if language not in self._patterns:
            self._patterns[language] = self._pattern(language)
        pattern = self._patterns[language]
        if pattern is None:
            return text
        spoken = self._spoken(language)
        return pattern.sub(lambda match: spoken[match[0].casefold()], text)

    def _spoken(self, language: Language) -> dict[str, str]:
        """Return the replacements by what is written; an entry for one language goes first."""
        valid = [entry for entry in self.entries if language in (entry.languages or {language})]
        valid.sort(key=lambda entry: bool(entry.languages))
        return {entry.written.casefold(): entry.spoken for entry in valid}

    def _pattern(self, language: Language) -> re.Pattern[str] | None:
        words = sorted(self._spoken(language), key=len, reverse=True)
        if not words:
            return None
        return re.compile("|".join(map(_whole, words)), re.IGNORECASE)


def _whole(word: str) -> str:
    before = r"(?<![A-Za-z0-9])" if word[0].isascii() and word[0].isalnum() else ""
    after = r"(?![A-Za-z0-9])" if word[-1].isascii() and word[-1].isalnum() else ""
    return before + re.escape(word) + after


def parse_dictionary(text: str, source: str = "dictionary") -> Dictionary:
    """Read lines such as `NAS → 纳斯` and `zh, yue: 3D → 三维`; `#` starts a comment line.

    A line that makes no sense is left out, with one warning that gives its number.
    """
    entries = []
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        entry = _parse_line(line)
        if isinstance(entry, Entry):
            entries.append(entry)
        else:
            _LOGGER.warning("%s, line %d is left out: %s", source, number, entry)
    return Dictionary(tuple(entries))


def _parse_line(line: str) -> Entry | str:
    """Return the entry of a line, or what is wrong with it."""
    languages: set[Language] = set()
    tags = _TAGS.match(line.strip())
    if tags is not None:
        found = [parse_tag(tag) for tag in tags[1].split(",")]
        if all(found):
            languages = {language for language in found if language}
            line = line.strip()[tags.end() :]
    written, *spoken = _ARROW.split(line.strip(), maxsplit=1)
    if not spoken:
        return "it has no arrow, write: from → to"
    if not written or not any(map(str.isalnum, spoken[0])):
        return "one side of the arrow is empty"
    return Entry(written=written, spoken=spoken[0], languages=frozenset(languages))


class DictionaryFile:
    """A dictionary in a file that the user may edit, or delete, at any time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: tuple[int, int] | None = None
        self._dictionary = Dictionary()

    def current(self) -> Dictionary:
        """Return the dictionary as it is now; the file is read again only if it has changed."""
        try:
            status = self._path.stat()
        except OSError:
            self._seen, self._dictionary = None, Dictionary()
            return self._dictionary
        seen = (status.st_mtime_ns, status.st_size)
        if seen != self._seen:
            self._seen = seen
            self._dictionary = self._read()
        return self._dictionary

    def _read(self) -> Dictionary:
        try:
            with self._path.open(encoding="utf-8", errors="replace") as file:
                text = file.read(_MOST_CHARACTERS)
        except OSError as error:
            _LOGGER.warning("%s cannot be read: %s", self._path, error.strerror)
            return Dictionary()
        return parse_dictionary(text, self._path.name)
