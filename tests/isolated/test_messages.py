"""Messages arrive as they were sent."""

from __future__ import annotations

import socket
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyvoice_wyoming.isolated.messages import (
    Drop,
    Failed,
    Load,
    Loaded,
    Message,
    Speak,
    Step,
    Stepped,
    receive,
    send,
)
from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.spoken import Span, Spoken
from cosyvoice_wyoming.voices import STANDARD_VOICES

SPAN = st.builds(Span, text=st.text(), language=st.sampled_from(Language), phonemes=st.text())
SPOKEN = st.builds(
    Spoken,
    text=st.text(),
    language=st.sampled_from(Language),
    spans=st.lists(SPAN, max_size=3).map(tuple),
    pause=st.floats(0, 10),
    rate=st.floats(0.5, 2),
)


def sent(message: Message) -> Message | None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        sending = threading.Thread(target=send, args=(theirs, message))
        sending.start()
        found = receive(ours)
        sending.join()
    return found


@pytest.mark.parametrize(
    "message",
    [
        Load(engine="tone", bundle="/some/where", threads=3),
        Step(utterance=7),
        Drop(utterance=7),
        Loaded(sample_rate=24_000, voices=STANDARD_VOICES),
        Stepped(samples=None),
        Failed(kind="EngineFailed", sentence="it failed: 没有"),
    ],
)
def test_a_message_arrives_as_it_was_sent(message):
    assert sent(message) == message


@given(SPOKEN)
def test_any_text_arrives_as_it_was_sent(spoken):
    message = Speak(utterance=1, voice="zh_female_01", speed=1.5, seed=3, spoken=spoken)
    assert sent(message) == message


@pytest.mark.parametrize("count", [0, 1, 300_000])
def test_samples_arrive_to_the_last_bit(count):
    wave = np.random.default_rng(1).standard_normal(count, np.float32)[::-1]
    found = sent(Stepped(samples=wave))
    assert isinstance(found, Stepped)
    assert found.samples is not None
    np.testing.assert_array_equal(found.samples, wave)


def test_the_end_of_the_other_side_is_none():
    ours, theirs = socket.socketpair()
    with ours:
        theirs.sendall(b"\x09\x00\x00\x00\x00\x00\x00\x00half")
        theirs.close()
        assert receive(ours) is None
