"""A useful subset of SSML: break, say-as, sub, lang, phoneme, prosody rate, p and s."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from xml.etree import ElementTree as ET

from cosyvoice_wyoming.text.given import Given, embed, without_private
from cosyvoice_wyoming.text.language import Language, detect, parse_tag
from cosyvoice_wyoming.text.say_as import say_as

_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_SILENT = frozenset({"audio-description", "desc", "lexicon", "lookup", "metadata", "meta", "mark"})
_STRENGTHS = {
    "none": 0.0,
    "x-weak": 0.1,
    "weak": 0.2,
    "medium": 0.4,
    "strong": 0.7,
    "x-strong": 1.2,
}
_RATES = {"x-slow": 0.5, "slow": 0.75, "medium": 1.0, "default": 1.0, "fast": 1.3, "x-fast": 1.6}
_TIME = re.compile(r"\+?(\d{0,6}\.?\d{1,6})\s*(ms|s)")
_PERCENT = re.compile(r"([+-]?)(\d{1,4}(?:\.\d{1,4})?)%")
_LONGEST_BREAK = 10.0
_SLOWEST, _FASTEST = 0.25, 4.0
_DEEPEST = 64
_ALPHABETS = {
    "pinyin": "pinyin",
    "x-pinyin": "pinyin",
    "x-amazon-pinyin": "pinyin",
    "sapi": "pinyin",
    "jyutping": "jyutping",
    "x-jyutping": "jyutping",
    "x-amazon-jyutping": "jyutping",
    "ipa": "ipa",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How a stretch of a document is spoken."""

    language: Language | None = None
    rate: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Text in one manner, or with no text a pause of so many seconds."""

    text: str = ""
    manner: Manner = Manner()
    pause: float = 0.0


def is_ssml(text: str) -> bool:
    """Whether a text is a `<speak>` document although nobody said so."""
    return re.match(r"\s*(?:<\?xml[^<>]{0,200}\?>\s*)?<speak[\s>]", text) is not None


def read_ssml(document: str, hint: Language | None = None) -> tuple[Stretch, ...] | None:
    """Return what a document or a fragment says, in order; None if it is not well-formed.

    A document with a type declaration is refused: entities could blow it up without bounds.
    """
    if "<!DOCTYPE" in document or "<!ENTITY" in document:
        return None
    body = re.sub(r"^\s*<\?xml[^<>]{0,200}\?>", "", without_private(document))
    for text in (body, f"<speak>{body}</speak>"):
        try:
            root = ET.fromstring(text)  # noqa: S314 - no declarations, checked above
        except (ET.ParseError, ValueError):
            continue
        plain = "".join(root.itertext())
        reader = _Reader(hint or detect(plain, None))
        return tuple(reader.element(root, Manner(), depth=0))
    return None


class _Reader:
    """Walks a document; `language` is the one to fall back on."""

    def __init__(self, language: Language) -> None:
        self._language = language

    def element(self, node: ET.Element, manner: Manner, *, depth: int) -> Iterator[Stretch]:
        name = node.tag.rpartition("}")[2].lower()
        if name in _SILENT or depth > _DEEPEST:
            return
        if language := parse_tag(node.get(_XML_LANG) or node.get("lang") or ""):
            manner = replace(manner, language=language)
        if name == "break":
            yield Stretch(pause=_break_seconds(node))
            return
        if name == "prosody":
            manner = replace(manner, rate=_clamp(manner.rate * _rate(node.get("rate", ""))))
        said = self._replaced(name, node, manner)
        if said is not None:
            yield Stretch(text=said, manner=manner)
            return
        yield from self._content(node, manner, depth=depth)
        if name in {"p", "s"}:
            yield Stretch(text="\n\n" if name == "p" else "\n", manner=manner)

    def _content(self, node: ET.Element, manner: Manner, *, depth: int) -> Iterator[Stretch]:
        if node.text:
            yield Stretch(text=_one_line(node.text), manner=manner)
        for child in node:
            yield from self.element(child, manner, depth=depth + 1)
            if child.tail:
                yield Stretch(text=_one_line(child.tail), manner=manner)

    def _replaced(self, name: str, node: ET.Element, manner: Manner) -> str | None:
        """Return what is said in place of an element's text, None if the text itself is."""
        content = _one_line("".join(node.itertext()))
        if name == "sub" and node.get("alias"):
            return node.get("alias")
        if name == "say-as":
            kind = node.get("interpret-as", "")
            return say_as(content, kind, node.get("format", ""), manner.language or self._language)
        alphabet = _ALPHABETS.get(node.get("alphabet", "ipa").lower())
        if name == "phoneme" and alphabet and node.get("ph", "").strip():
            return embed(Given(word=content, phonemes=f"{alphabet}:{node.get('ph', '').strip()}"))
        return None


def _one_line(text: str) -> str:
    """White space in a document is only its layout."""
    return re.sub(r"\s+", " ", text)


def _break_seconds(node: ET.Element) -> float:
    time = _TIME.fullmatch(node.get("time", "").strip().lower())
    if time is None:
        return _STRENGTHS.get(node.get("strength", "medium").lower(), _STRENGTHS["medium"])
    return min(float(time[1]) / (1000 if time[2] == "ms" else 1), _LONGEST_BREAK)


def _rate(written: str) -> float:
    """Return the factor of `fast`, `120%`, `+20%` or `1.2`; 1 for what makes no sense."""
    written = written.strip().lower()
    if written in _RATES:
        return _RATES[written]
    if percent := _PERCENT.fullmatch(written):
        share = float(percent[2]) / 100
        return {"": share, "+": 1 + share, "-": 1 - share}[percent[1]]
    if re.fullmatch(r"\d{1,2}(?:\.\d{1,4})?", written):
        return float(written)
    return 1.0


def _clamp(rate: float) -> float:
    return min(max(rate, _SLOWEST), _FASTEST)
