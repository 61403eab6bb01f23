"""Phrases that were spoken before: kept, found, bounded, and whole after every accident."""

from __future__ import annotations

import errno
import logging
import os
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyvoice_wyoming import phrase_files
from cosyvoice_wyoming.audio import Pcm
from cosyvoice_wyoming.engine.tone import ToneEngine
from cosyvoice_wyoming.narration import Manner, Narration, Studio
from cosyvoice_wyoming.phrase_files import PhraseFiles
from cosyvoice_wyoming.phrases import LONGEST_SECONDS, PhraseCache, Rendering, phrase_key
from cosyvoice_wyoming.rehearsal import common_replies, rehearsals
from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.spoken import Segment, Span, Spoken
from cosyvoice_wyoming.voices import STANDARD_VOICES, VoiceCatalog, VoiceWish

RENDERING = Rendering(model="m", voice=STANDARD_VOICES[0], speed=1.0, rate=24_000)
SPOKEN = Spoken(text="你好", language=Language.ZH, spans=(Span(text="你好", language=Language.ZH),))
KEY = "ab" * 32


def pcm(seconds: float, value: int = 1) -> Pcm:
    return Pcm(data=bytes([value, 0]) * int(seconds * 1000), rate=1000)


def stored(folder: Path, *phrases: tuple[str, Pcm]) -> None:
    files = PhraseFiles(folder)
    for name, audio in phrases:
        files.keep(name, audio)
    files.close()


class Room:
    """A studio whose engine and phrases can be looked into."""

    def __init__(self, cache: PhraseCache | None = None, *, bare: bool = False) -> None:
        self.engine = ToneEngine()
        self.cache = cache or PhraseCache()
        self.studio = Studio(
            engine=self.engine,
            catalog=VoiceCatalog(self.engine.voices),
            phrases=None if bare else self.cache,
            model="tone",
        )

    def say(self, text: str, **options: bool) -> bytes:
        narration = Narration(VoiceWish(), Manner(), **options)
        return b"".join(piece.data for piece in narration.say(Segment(text=text), self.studio))

    def rehearse(self) -> None:
        for rehearsal in rehearsals(Manner()):
            list(rehearsal(self.studio))
        self.studio.close()


@pytest.mark.parametrize(
    "other",
    [
        replace(RENDERING, model="n"),
        replace(RENDERING, voice=STANDARD_VOICES[1]),
        replace(RENDERING, speed=1.1),
        replace(RENDERING, rate=16_000),
    ],
)
def test_whatever_changes_the_sound_changes_the_key(other):
    assert phrase_key(SPOKEN, RENDERING) != phrase_key(SPOKEN, other)


def test_words_and_pronunciation_are_part_of_the_key_and_the_pause_is_not():
    key = phrase_key(SPOKEN, RENDERING)
    given = Span(text="你好", language=Language.ZH, phonemes="x")
    assert phrase_key(replace(SPOKEN, spans=(given,)), RENDERING) != key
    assert phrase_key(replace(SPOKEN, rate=2.0), RENDERING) != key
    assert phrase_key(replace(SPOKEN, pause=3.0), RENDERING) == key


def test_the_second_time_the_engine_rests_and_the_samples_are_the_same():
    room = Room()
    first = room.say("今天天气很好。")
    steps = room.engine.steps
    assert room.say("今天天气很好。") == first
    assert room.engine.steps == steps
    assert (room.cache.hits, room.cache.misses) == (1, 1)


def test_a_segment_sounds_the_same_with_and_without_phrases():
    assert Room().say("今天天气很好。") == Room(bare=True).say("今天天气很好。")


def test_a_private_text_is_neither_kept_nor_looked_up():
    room = Room()
    room.say("今天天气很好。", private=True)
    room.say("今天天气很好。", private=True)
    assert room.engine.spoken == ["今天天气很好。"] * 2
    assert room.cache.bytes_in_memory == 0


def test_a_segment_that_breaks_off_is_not_kept():
    room = Room()
    steps = Narration(VoiceWish(), Manner()).say(Segment(text="今天天气很好。"), room.studio)
    next(steps)
    del steps
    assert room.cache.bytes_in_memory == 0


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.floats(0.1, 2 * LONGEST_SECONDS))))
def test_memory_is_bounded_and_what_is_found_is_what_was_put_last(puts):
    cache = PhraseCache(memory_bytes=30_000)
    last = {}
    for number, (key, seconds) in enumerate(puts):
        audio = pcm(seconds, number % 250)
        cache.put(key, audio)
        if seconds <= LONGEST_SECONDS:
            last[key] = audio
        assert cache.bytes_in_memory <= 30_000
    for key, audio in last.items():
        assert cache.get(key) in {None, audio}


def test_what_is_wanted_twice_survives_a_restart(tmp_path):
    first = PhraseCache(PhraseFiles(tmp_path))
    first.put(KEY, pcm(1))
    first.put("cd" * 32, pcm(1))
    first.get(KEY)
    first.close()
    second = PhraseCache(PhraseFiles(tmp_path))
    assert second.get(KEY) == pcm(1)
    assert second.get("cd" * 32) is None
    second.close()


def test_the_disk_is_bounded_and_the_least_recently_used_goes_first(tmp_path):
    names = [f"{number:064x}" for number in range(5)]
    stored(tmp_path, *((name, pcm(1)) for name in names[:3]))
    for age, name in enumerate(reversed(names[:3])):
        os.utime(tmp_path / name, (1000 - age, 1000 - age))
    files = PhraseFiles(tmp_path, most_bytes=3 * 2040)
    files.read(names[0])
    files.keep(names[3], pcm(1))
    files.close()
    assert {path.name for path in tmp_path.iterdir()} == {names[0], names[2], names[3]}
    assert files.bytes == 3 * 2040


@pytest.mark.parametrize("harm", ["shortened", "flipped", "emptied", "renamed", "foreign"])
def test_a_phrase_that_is_not_whole_is_absent_and_removed(tmp_path, harm):
    stored(tmp_path, (KEY, pcm(1)))
    path = tmp_path / KEY
    content = path.read_bytes()
    name = KEY
    match harm:
        case "shortened":
            path.write_bytes(content[:-2])
        case "flipped":
            path.write_bytes(content[:-1] + b"\x7f")
        case "emptied":
            path.write_bytes(b"")
        case "renamed":
            name = "cd" * 32
            path.rename(tmp_path / name)
        case "foreign":
            path.write_bytes(b"GIF89a" + content)
    files = PhraseFiles(tmp_path)
    assert files.read(name) is None
    files.close()
    assert not (tmp_path / name).exists()


class PowerCut(BaseException):
    """The lights go out: nothing of the program runs any more."""


@pytest.mark.parametrize("at", range(9))
def test_after_a_power_cut_at_any_write_the_next_start_is_whole(tmp_path, monkeypatch, at):
    """Power fails at the nth call to the system; what was not synced may be lost or torn."""
    stored(tmp_path, (KEY, pcm(1)))
    left = iter(range(at))
    monkeypatch.setattr(threading, "excepthook", lambda _: None)

    def failing(real):
        def call(*args, **keywords):
            if next(left, None) is None:
                raise PowerCut
            return real(*args, **keywords)

        return call

    with monkeypatch.context() as patch:
        for name in ("open", "write", "fsync"):
            patch.setattr(os, name, failing(getattr(os, name)))
        patch.setattr(Path, "rename", failing(Path.rename))
        files = PhraseFiles(tmp_path)
        files.keep("cd" * 32, pcm(2))
        files.close()
    for torn in tmp_path.glob("*.part"):
        torn.write_bytes(torn.read_bytes()[:7])
    again = PhraseCache(PhraseFiles(tmp_path))
    assert again.get(KEY) == pcm(1)
    assert again.get("cd" * 32) in {None, pcm(2)}
    again.put("ef" * 32, pcm(1), to_disk=True)
    again.close()
    assert not list(tmp_path.glob("*.part"))
    assert (tmp_path / ("ef" * 32)).exists()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EIO])
def test_a_disk_that_takes_nothing_costs_one_warning(tmp_path, monkeypatch, caplog, number):
    caplog.set_level(logging.WARNING)

    def fail(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    cache = PhraseCache(PhraseFiles(tmp_path))
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", fail)
        for name in (KEY, "cd" * 32):
            cache.put(name, pcm(1), to_disk=True)
        cache.close()
    assert cache.get(KEY) == pcm(1)
    [line] = [record.getMessage() for record in caplog.records]
    assert os.strerror(number) in line
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_made_is_no_reason_to_be_silent(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    cache = PhraseCache(PhraseFiles(tmp_path / "file" / "phrases"))
    cache.put(KEY, pcm(1), to_disk=True)
    cache.close()
    assert cache.get(KEY) == pcm(1)
    assert len(caplog.records) == 1


def test_common_replies_are_kept_for_good_in_every_language(tmp_path, monkeypatch):
    monkeypatch.setattr(phrase_files, "MOST_WAITING", 1000)
    room = Room(PhraseCache(PhraseFiles(tmp_path)))
    room.rehearse()
    assert {language for language, _ in common_replies()} == set(Language)
    again = Room(PhraseCache(PhraseFiles(tmp_path)))
    again.rehearse()
    assert len(again.engine.spoken) == len(Language), "the greetings alone are spoken anew"
    assert len(room.engine.spoken) > len(Language) + 50
