"""From written text to spoken words: segment, clean, detect the language, say every number."""

from __future__ import annotations

from cosyvoice_wyoming.text.prepare import prepare
from cosyvoice_wyoming.text.script import Script

__all__ = ["Script", "prepare"]
