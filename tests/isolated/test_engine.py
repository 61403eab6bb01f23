"""An engine in its own process: the same samples, and what its death, hang and loss come to."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cosyvoice_wyoming.engine.tone import ToneEngine
from cosyvoice_wyoming.errors import EngineFailed, EngineLost, ModelMissing
from cosyvoice_wyoming.isolated.engine import IsolatedEngine
from cosyvoice_wyoming.isolated.patience import Patience, Restarts
from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.text.spoken import Span, Spoken
from cosyvoice_wyoming.voices import STANDARD_VOICES

VOICE = STANDARD_VOICES[3]
PATIENCE = Patience(still=0.5, whole=2.0)


def words(text: str) -> Spoken:
    return Spoken(text=text, language=Language.ZH, spans=(Span(text=text, language=Language.ZH),))


GOOD, BAD = words("今天天气很好今天天气很好"), words("坏今天天气很好今天天气很好")


@contextlib.contextmanager
def isolated(folder: Path, faults: str = "", **options) -> Iterator[IsolatedEngine]:
    (folder / "tone.toml").write_text(faults, "utf-8")
    engine = IsolatedEngine("tone", folder, patience=PATIENCE, **options)
    try:
        yield engine
    finally:
        engine.close()


def spoken_by(engine: IsolatedEngine, what: Spoken) -> np.ndarray:
    return np.concatenate(list(engine.speaker(VOICE, speed=1.0).speak(what)))


def expected(what: Spoken) -> np.ndarray:
    return np.concatenate(list(ToneEngine().speaker(VOICE, speed=1.0).speak(what)))


def test_it_speaks_as_the_engine_itself_would(tmp_path):
    with isolated(tmp_path) as engine:
        assert engine.voices == STANDARD_VOICES
        assert engine.sample_rate == 24_000
        np.testing.assert_array_equal(spoken_by(engine, GOOD), expected(GOOD))
    assert not alive(engine.pid)


def alive(pid: int) -> bool:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


def test_two_segments_by_turns_do_not_mix(tmp_path):
    with isolated(tmp_path) as engine:
        turns = [engine.speaker(VOICE, speed=1.0).speak(what) for what in (GOOD, BAD)]
        heard: list[list[np.ndarray]] = [[], []]
        for first, second in zip(*turns, strict=False):
            heard[0].append(first)
            heard[1].append(second)
        heard[1] += list(turns[1])
        np.testing.assert_array_equal(np.concatenate(heard[0]), expected(GOOD))
        np.testing.assert_array_equal(np.concatenate(heard[1]), expected(BAD))


def test_what_was_announced_is_the_same_when_its_turn_comes(tmp_path):
    with isolated(tmp_path) as engine:
        now, later = engine.speaker(VOICE, speed=1.0), engine.speaker(VOICE, speed=1.0)
        waves = now.speak(GOOD)
        first = next(waves)
        later.announce(BAD)
        rest = list(waves)
        np.testing.assert_array_equal(np.concatenate([first, *rest]), expected(GOOD))
        np.testing.assert_array_equal(np.concatenate(list(later.speak(BAD))), expected(BAD))


def test_what_was_announced_and_withdrawn_may_be_spoken_later(tmp_path):
    with isolated(tmp_path) as engine:
        speaker = engine.speaker(VOICE, speed=1.0)
        speaker.announce(BAD)
        speaker.withdraw()
        speaker.withdraw()
        np.testing.assert_array_equal(np.concatenate(list(speaker.speak(BAD))), expected(BAD))


def test_other_words_than_those_announced_are_spoken_as_asked(tmp_path):
    with isolated(tmp_path) as engine:
        speaker = engine.speaker(VOICE, speed=1.0)
        speaker.announce(BAD)
        np.testing.assert_array_equal(np.concatenate(list(speaker.speak(GOOD))), expected(GOOD))


def test_more_may_be_announced_than_is_done_at_a_time(tmp_path):
    with isolated(tmp_path, "step_delay = 0.02") as engine:
        speakers = [engine.speaker(VOICE, speed=1.0) for _ in range(6)]
        for speaker in speakers:
            speaker.announce(GOOD)
        for speaker in reversed(speakers):
            np.testing.assert_array_equal(np.concatenate(list(speaker.speak(GOOD))), expected(GOOD))


def test_what_was_announced_to_a_process_that_died_is_begun_again(tmp_path):
    with isolated(tmp_path) as engine:
        speaker = engine.speaker(VOICE, speed=1.0)
        speaker.announce(GOOD)
        os.kill(engine.pid, signal.SIGKILL)
        np.testing.assert_array_equal(np.concatenate(list(speaker.speak(GOOD))), expected(GOOD))


@pytest.mark.parametrize("fault", ["aborts_at", "hangs_at", "spins_at"])
def test_a_process_that_breaks_once_is_replaced_and_goes_on_from_the_next_sample(tmp_path, fault):
    with isolated(tmp_path, f'{fault} = "坏"\nonce = "done"') as engine:
        first = engine.pid
        np.testing.assert_array_equal(spoken_by(engine, BAD), expected(BAD))
        assert engine.pid != first
        assert not alive(first)


def test_a_process_that_is_killed_from_outside_is_replaced(tmp_path):
    with isolated(tmp_path) as engine:
        steps = engine.speaker(VOICE, speed=1.0).speak(GOOD)
        heard = [next(steps)]
        os.kill(engine.pid, signal.SIGKILL)
        heard += list(steps)
        np.testing.assert_array_equal(np.concatenate(heard), expected(GOOD))


def test_words_that_break_it_twice_fail_alone(tmp_path):
    with isolated(tmp_path, 'aborts_at = "坏"') as engine:
        other = engine.speaker(VOICE, speed=1.0).speak(GOOD)
        heard = [next(other)]
        with pytest.raises(EngineFailed, match="SIGABRT"):
            spoken_by(engine, BAD)
        heard += list(other)
        np.testing.assert_array_equal(np.concatenate(heard), expected(GOOD))
        assert engine.restarts.total == 2


def test_an_engine_that_breaks_too_often_is_lost(tmp_path):
    with isolated(tmp_path, 'aborts_at = "坏"', restarts=Restarts(most=2)) as engine:
        with pytest.raises(EngineFailed):
            spoken_by(engine, BAD)
        with pytest.raises(EngineLost):
            spoken_by(engine, BAD)


def test_a_segment_that_is_left_is_forgotten_and_the_next_is_whole(tmp_path):
    with isolated(tmp_path) as engine:
        steps = engine.speaker(VOICE, speed=1.0).speak(GOOD)
        next(steps)
        del steps
        np.testing.assert_array_equal(spoken_by(engine, GOOD), expected(GOOD))


def test_what_the_loader_says_is_said(tmp_path):
    with pytest.raises(ModelMissing, match="There is no model"):
        IsolatedEngine("kokoro", tmp_path)


def test_an_engines_own_failure_is_no_crash(tmp_path):
    with isolated(tmp_path) as engine:
        pid = engine.pid
        stranger = engine.speaker(replace(VOICE, name="nobody"), speed=1.0)
        with pytest.raises(EngineFailed, match="RuntimeError"):
            list(stranger.speak(GOOD))
        assert len(spoken_by(engine, GOOD))
        assert engine.pid == pid
