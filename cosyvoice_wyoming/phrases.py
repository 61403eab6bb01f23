"""Finished audio of segments, so that what a house hears every day is spoken at once.

What was said once is kept in memory; what is said again goes to the disk as well, so that the
endless variety of a language model's answers wears out no flash. `phrase_files` keeps the disk.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cosyvoice_wyoming import __version__
from cosyvoice_wyoming.audio import Pcm

if TYPE_CHECKING:
    from cosyvoice_wyoming.phrase_files import PhraseFiles
    from cosyvoice_wyoming.text.spoken import Spoken
    from cosyvoice_wyoming.voices import Voice

MEMORY_BYTES = 8 << 20
"""Kept in memory: 170 s of speech at 24 kHz, some 80 replies."""

LONGEST_SECONDS = 12.0
"""Longer segments are no phrases that come again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendering:
    """What besides the words decides how a segment sounds, to the last sample."""

    model: str
    voice: Voice
    speed: float
    rate: int


def phrase_key(spoken: Spoken, rendering: Rendering) -> str:
    """Return the name under which a segment's audio is kept: a SHA-256, in hexadecimal.

    The front end and the engines are part of it through the version of this program.
    """
    spans = [(span.text, span.language, span.phonemes) for span in spoken.spans]
    speed = rendering.speed * spoken.rate
    fields = [__version__, rendering.model, rendering.voice.name, speed, rendering.rate, spans]
    return hashlib.sha256(json.dumps(fields).encode("ascii")).hexdigest()


class PhraseCache:
    """The least recently used go first, here and on the disk. Used from the worker's thread."""

    def __init__(self, files: PhraseFiles | None = None, memory_bytes: int = MEMORY_BYTES) -> None:
        self._files = files
        self._memory_bytes = memory_bytes
        self._kept: OrderedDict[str, Pcm] = OrderedDict()
        self._bytes = 0
        self.hits = 0
        self.misses = 0

    @property
    def bytes_in_memory(self) -> int:
        return self._bytes

    @property
    def bytes_on_disk(self) -> int:
        return self._files.bytes if self._files else 0

    def get(self, key: str, *, counted: bool = True) -> Pcm | None:
        """Return the audio of that name, and count whether it was there."""
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
            if self._files:
                self._files.keep(key, found)
        elif self._files and (found := self._files.read(key)):
            self._keep(key, found)
        self.hits += counted and found is not None
        self.misses += counted and found is None
        return found

    def put(self, key: str, pcm: Pcm, *, to_disk: bool = False) -> None:
        """Keep audio. `to_disk` does not wait for the second time that it is wanted."""
        if not pcm.data or pcm.seconds > LONGEST_SECONDS:
            return
        self._keep(key, pcm)
        if to_disk and self._files:
            self._files.keep(key, pcm)

    def has(self, key: str) -> bool:
        """Whether audio of that name is there; does not count as a use."""
        return key in self._kept or bool(self._files and self._files.has(key))

    def forget_memory(self) -> None:
        """Free the memory; what is on the disk stays."""
        self._kept.clear()
        self._bytes = 0

    def clear(self) -> None:
        """Forget every phrase, here and on the disk."""
        self.forget_memory()
        if self._files:
            self._files.clear()

    def close(self) -> None:
        """Write what waits to be written."""
        if self._files:
            self._files.close()

    def _keep(self, key: str, pcm: Pcm) -> None:
        if (old := self._kept.pop(key, None)) is not None:
            self._bytes -= len(old.data)
        self._kept[key] = pcm
        self._bytes += len(pcm.data)
        while self._bytes > self._memory_bytes:
            _, gone = self._kept.popitem(last=False)
            self._bytes -= len(gone.data)
