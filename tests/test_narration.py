"""What a narration tells the engine of the segments to come."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from cosyvoice_wyoming.engine import Waveform
from cosyvoice_wyoming.narration import ANNOUNCED_SEGMENTS, Manner, Narration, Studio
from cosyvoice_wyoming.phrases import PhraseCache
from cosyvoice_wyoming.schedule import AHEAD_SECONDS
from cosyvoice_wyoming.text.spoken import Segment, Spoken
from cosyvoice_wyoming.voices import STANDARD_VOICES, Voice, VoiceCatalog, VoiceWish

RATE = 24_000


class Diary:
    """An engine that writes down what is asked of it; every segment is two steps of `seconds`."""

    sample_rate = RATE
    voices: tuple[Voice, ...] = STANDARD_VOICES
    overlaps = True

    def __init__(self, seconds: float = 0.5) -> None:
        self.seconds = seconds
        self.entries: list[str] = []

    def speaker(self, voice: Voice, *, speed: float, seed: int = 0) -> DiarySpeaker:
        return DiarySpeaker(self)

    def close(self) -> None:
        pass


class DiarySpeaker:
    def __init__(self, diary: Diary) -> None:
        self._diary = diary
        self._announced = ""

    def announce(self, spoken: Spoken) -> None:
        self._announced = spoken.text
        self._diary.entries.append(f"announce {spoken.text}")

    def withdraw(self) -> None:
        self._diary.entries.append(f"withdraw {self._announced}")

    def speak(self, spoken: Spoken) -> Iterator[Waveform]:
        told = " as announced" if self._announced == spoken.text else ""
        self._diary.entries.append(f"speak {spoken.text}{told}")
        for _ in range(2):
            yield np.full(round(self._diary.seconds * RATE), 0.5, np.float32)


def studio(diary: Diary, phrases: PhraseCache | None = None) -> Studio:
    return Studio(engine=diary, catalog=VoiceCatalog(STANDARD_VOICES), phrases=phrases)


def segments(*texts: str) -> list[Segment]:
    return [Segment(text=text) for text in texts]


def narrated(texts: list[Segment], room: Studio) -> Narration:
    narration = Narration(VoiceWish(), Manner())
    for segment in texts:
        narration.expect(segment)
    for segment in texts:
        list(narration.say(segment, room))
    return narration


def test_the_next_segments_are_announced_while_one_is_said_and_not_twice():
    diary = Diary()
    narrated(segments("One.", "Two.", "Three."), studio(diary))
    assert ANNOUNCED_SEGMENTS == 1
    assert diary.entries == [
        "speak One.",
        "announce Two.",
        "speak Two. as announced",
        "announce Three.",
        "speak Three. as announced",
    ]


def test_a_segment_that_came_unexpected_is_said_all_the_same():
    diary = Diary()
    narration = Narration(VoiceWish(), Manner())
    expected, other = segments("Expected.", "Other.")
    first = segments("First.")[0]
    narration.expect(first)
    narration.expect(expected)
    list(narration.say(first, studio(diary)))
    list(narration.say(other, studio(diary)))
    assert diary.entries[1:4] == ["announce Expected.", "withdraw Expected.", "speak Other."]


def test_a_request_that_is_far_ahead_announces_nothing():
    diary = Diary(seconds=AHEAD_SECONDS + 1)
    narrated(segments("One.", "Two."), studio(diary))
    assert diary.entries == ["speak One.", "speak Two."]


def test_a_request_beside_others_announces_nothing():
    diary = Diary()
    narration = Narration(VoiceWish(), Manner())
    narration.is_alone = lambda: False
    parts = segments("One.", "Two.")
    for segment in parts:
        narration.expect(segment)
    for segment in parts:
        list(narration.say(segment, studio(diary)))
    assert diary.entries == ["speak One.", "speak Two."]


@pytest.mark.parametrize("kept", [False, True])
def test_words_that_are_kept_as_a_phrase_are_not_made_again(kept):
    diary = Diary()
    phrases = PhraseCache(memory_bytes=1 << 20)
    if kept:
        narrated(segments("Two."), studio(diary, phrases))
        diary.entries.clear()
    narrated(segments("One.", "Two."), studio(diary, phrases))
    told = [] if kept else ["announce Two.", "speak Two. as announced"]
    assert diary.entries == ["speak One.", *told]


def test_words_that_are_being_said_are_not_made_a_second_time():
    diary = Diary()
    narrated(segments("Same.", "Same."), studio(diary, PhraseCache(memory_bytes=1 << 20)))
    assert diary.entries == ["speak Same.", "announce Same.", "withdraw Same."]


def test_a_dropped_request_withdraws_what_it_announced():
    diary = Diary()
    narration = Narration(VoiceWish(), Manner())
    parts = segments("One.", "Two.", "Three.")
    for segment in parts:
        narration.expect(segment)
    steps = narration.say(parts[0], studio(diary))
    next(steps)
    next(steps)
    narration.let_go()
    assert diary.entries == ["speak One.", "announce Two.", "withdraw Two."]


def test_text_without_words_is_passed_over():
    diary = Diary()
    narrated(segments("One.", "…", "Two."), studio(diary))
    assert diary.entries == ["speak One.", "speak Two."]
