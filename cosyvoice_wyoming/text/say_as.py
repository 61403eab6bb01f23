"""What `<say-as>` asks for, put so that the number rules read it that way."""

from __future__ import annotations

import re

from cosyvoice_wyoming.text.language import Language

_ORDER = {"d": 0, "m": 1, "y": 2}
_HEAD_ORDINAL = frozenset({Language.ZH, Language.YUE, Language.JA})
_PARTS_OF_COMPACT_DATE = re.compile(r"(\d{4})(\d{2})(\d{2})")


def say_as(text: str, kind: str, form: str, language: Language) -> str:
    """Return the text rewritten for an `interpret-as` value; unknown ones leave it as it is."""
    text = text.strip()
    kind = kind.strip().lower()
    if kind in {"characters", "character", "spell-out", "verbatim", "letters"}:
        return _spell(text)
    if kind in {"digits", "number-digits", "telephone", "phone"}:
        return _spell_digits(text)
    if kind == "ordinal" and text.isdecimal():
        return _ordinal(text, language)
    if kind in {"cardinal", "number"}:
        return re.sub(r"(?<=\d)[\s,_](?=\d)", "", text)
    if kind == "date":
        return _date(text, form.strip().lower())
    return text


def _spell(text: str) -> str:
    """`NAS2` → `N-A-S 2`: letters joined by hyphens are spelled, lone digits are said."""
    parts = re.findall(r"[A-Za-z]+|\S", text)
    return " ".join(
        "-".join(part.upper()) if part.isascii() and part.isalpha() else part for part in parts
    )


def _spell_digits(text: str) -> str:
    groups = re.findall(r"\d+|[^\d\s()+-]+|\+", text)
    return "，".join(" ".join(group) if group.isdecimal() else group for group in groups)


def _ordinal(digits: str, language: Language) -> str:
    if language in _HEAD_ORDINAL:
        return f"第{digits}"
    return f"{digits}번째" if language is Language.KO else f"{digits}th"


def _date(text: str, form: str) -> str:
    """Return a date as `2026-11-30`, whose order nobody can mistake."""
    compact = _PARTS_OF_COMPACT_DATE.fullmatch(text)
    parts = list(compact.groups()) if compact else re.findall(r"\d+", text)
    if len(parts) != len(form) or set(form) - set(_ORDER) or len(set(form)) != len(form):
        return "-".join(parts) if compact else text
    by_name = dict(zip(form, parts, strict=True))
    year, month, day = (by_name.get(name, "") for name in "ymd")
    if year and month:
        return f"{year}-{int(month):02}" + (f"-{int(day):02}" if day else "")
    return f"{int(month)}/{int(day)}" if month and day else text
