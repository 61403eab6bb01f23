"""Markdown, HTML and what else is written but not said, taken away from one segment."""

from __future__ import annotations

import html
import re

from cosyvoice_wyoming.text.folding import fold

_CONTROL_TOKEN = re.compile(r"<\|[^<>|]{0,64}\|>")
_SOUND_EVENT = re.compile(
    r"\[(?:quick_)?(?:breath|laughter|noise|cough|sigh|clucking|accent|hissing|lipsmack|mn"
    r"|vocalized-noise)\]"
)
_PAUSE_TAG = re.compile(
    r"</?(?:br|hr|p|li|tr|td|th|div|s|break|h[1-6])\b[^<>]{0,200}>", re.IGNORECASE
)
_TAG = re.compile(
    r"<(?:/?[A-Za-z][\w:-]{0,20}(?:\s[^<>]{0,200})?/?|!--[^<>]{0,200}--|![^<>]{0,80})>"
)
_IMAGE_OR_LINK = re.compile(
    r"!?\[([^\[\]]{0,300})\]"
    r"(?:\((?:[^()\s]|\([^()\s]{0,100}\)){0,500}(?:\s[^()]{0,100})?\)|\[\w{0,40}\])"
)
_FOOTNOTE = re.compile(r"\[\^[\w-]{1,20}\]:?|(?<=[^\s(（\[])\[\d{1,3}\]")
_AUTOLINK = re.compile(r"<((?:https?://|mailto:)[^<>\s]{1,500})>")
_TASK = re.compile(r"^(\s*[-*+]\s+)\[[ xX]\]\s+", re.MULTILINE)

_LINE_START = re.compile(
    r"^(?:\s|#{1,6}(?=\s)|>+|[-*+•●○▪◦·‣](?=\s)|[-*_]{2,}(?=\s*$))*", re.MULTILINE
)
_LIST_NUMBER = re.compile(r"^(\s*(?:\(\d{1,2}(?=\))|\d{1,3}))[.)](?=\s)", re.MULTILINE)
_RULE = re.compile(r"^[\s|:*_=+-]*$")
_CELL_GAP = re.compile(r"\s*\|\s*")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+.!|~<>-])")
_TIMES = re.compile(r"(?<=\d)(?<!\b0)(\s?)[*xX](\s?)(?=\d)")
_MARKS = re.compile(r"\*+|`+|~~+|__+|(?<![A-Za-z0-9])_+|_+(?![A-Za-z0-9])|[{}\\]")
_ENDS_LINE = frozenset("，。！？；：、…,.!?;:—")


def strip_markup(text: str) -> str:
    """Return the text without markup, one line, with a comma where a line or a cell ended.

    Marks are taken away one by one, not in pairs, as the partner may be in another segment.
    Links leave their label; their addresses are left to the languages, which know how to say a dot.
    """
    text = _CONTROL_TOKEN.sub("", text)
    if "<" in text:
        text = _PAUSE_TAG.sub("\n", _AUTOLINK.sub(r" \1 ", text))
        text = _TAG.sub("", text)
    if "&" in text:
        text = html.unescape(text)
    if "[" in text:
        text = _SOUND_EVENT.sub(" ", _TASK.sub(r"\1", text))
        text = _FOOTNOTE.sub("", _IMAGE_OR_LINK.sub(r"\1", text))
    text = fold(text)
    text = _TIMES.sub(r"\1×\2", _ESCAPE.sub(r"\1", text))
    return _MARKS.sub("", _join([_strip_line(line) for line in text.split("\n")])).strip()


def _strip_line(line: str) -> str:
    if _RULE.match(line):
        return ""
    line = _LINE_START.sub("", line)
    line = _LIST_NUMBER.sub(r"\1，", line)
    if line.startswith("|") or line.count("|") > 1:
        line = _CELL_GAP.sub("，", line.strip().strip("|").strip())
    return line.replace("|", " ").strip()


def _join(lines: list[str]) -> str:
    """Join lines with a comma, paragraphs with a full stop, unless they have a mark already."""
    joined, mark = "", "，"
    for line in lines:
        if not line:
            mark = "。"
            continue
        if joined:
            joined += " " if joined.rstrip("*_`~")[-1:] in _ENDS_LINE else mark
        joined += line
        mark = "，"
    return joined
