"""The engine's process: loads an engine and does its steps as the server asks for them.

Started as `python -m cosyvoice_wyoming.isolated.child FD LEVEL FORMAT`. It ends with the server,
even in the middle of a step: a thread of its own sees the socket close.
"""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from cosyvoice_wyoming.engine import Engine, Waveform
from cosyvoice_wyoming.errors import EngineFailed, SpeechError
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
from cosyvoice_wyoming.logs import log_failure, log_to_stderr
from cosyvoice_wyoming.machine import trim_memory

_LOGGER = logging.getLogger(__name__)

OOM_SCORE = 500
"""Where memory runs out, the system should kill this process and not the server."""

AHEAD = 1
"""First steps that are done at a time beside what was asked for; more would hold that up."""

IDLE_SECONDS = 5.0
"""After so long without work, memory that is free goes back to the system."""


def main() -> None:
    """Serve one server until it goes."""
    descriptor, level, form = sys.argv[1:4]
    for number in (signal.SIGINT, signal.SIGTERM):  # they reach a whole group; the server decides
        signal.signal(number, signal.SIG_IGN)
    log_to_stderr(level, form)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(OOM_SCORE), "ascii")
    channel = socket.socket(fileno=int(descriptor))
    inbox: queue.SimpleQueue[Message] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(channel, inbox), daemon=True).start()
    Child(channel, inbox).run()


def _read(channel: socket.socket, inbox: queue.SimpleQueue[Message]) -> None:
    with contextlib.suppress(OSError):
        while message := receive(channel):
            inbox.put(message)
    os._exit(0)


class Child:
    """The engine and the utterances that are under way."""

    def __init__(self, channel: socket.socket, inbox: queue.SimpleQueue[Message]) -> None:
        self._channel = channel
        self._inbox = inbox
        self._engine: Engine | None = None
        self._utterances: dict[int, Iterator[Waveform]] = {}
        self._firsts: dict[int, Future[Waveform | None]] = {}
        """First steps that were begun before they were asked for."""
        self._beside = ThreadPoolExecutor(AHEAD)

    def run(self) -> None:
        """Do what comes, one thing after the other, for ever."""
        while True:
            match self._next():
                case Load() as load:
                    self._answer_load(load)
                case Speak() as speak:
                    self._begin(speak)
                case Step(utterance=utterance):
                    self._answer_step(utterance)
                case Drop(utterance=utterance):
                    self._drop(utterance)
                case _:
                    pass

    def _next(self) -> Message:
        try:
            return self._inbox.get(timeout=IDLE_SECONDS)
        except queue.Empty:
            trim_memory()
            return self._inbox.get()

    def _answer_load(self, load: Load) -> None:
        from cosyvoice_wyoming.engine.registry import ENGINES

        try:
            self._engine = ENGINES[load.engine](Path(load.bundle), threads=load.threads)
        except Exception as error:  # noqa: BLE001  # the server says it
            self._fail(error)
            return
        voices = tuple(self._engine.voices)
        send(self._channel, Loaded(sample_rate=self._engine.sample_rate, voices=voices))

    def _begin(self, speak: Speak) -> None:
        steps = self._utterances[speak.utterance] = self._speak(speak)
        if self._engine is not None and self._engine.overlaps:
            self._firsts[speak.utterance] = self._beside.submit(next, steps, None)

    def _drop(self, utterance: int) -> None:
        if first := self._firsts.pop(utterance, None):
            first.cancel()
        self._utterances.pop(utterance, None)

    def _step(self, utterance: int) -> Waveform | None:
        """Do a step here, unless the other thread has done it or is at it."""
        first = self._firsts.pop(utterance, None)
        if first is None or first.cancel():
            return next(self._utterances[utterance], None)
        return first.result()

    def _speak(self, speak: Speak) -> Iterator[Waveform]:
        if self._engine is None:
            raise EngineFailed("no engine has been loaded")
        voice = next(voice for voice in self._engine.voices if voice.name == speak.voice)
        speaker = self._engine.speaker(voice, speed=speak.speed, seed=speak.seed)
        yield from speaker.speak(speak.spoken)

    def _answer_step(self, utterance: int) -> None:
        try:
            samples = self._step(utterance)
        except Exception as error:  # noqa: BLE001  # engines fail in ways of their own
            self._fail(error)
        else:
            send(self._channel, Stepped(samples=samples))

    def _fail(self, error: Exception) -> None:
        if isinstance(error, SpeechError):
            failed = Failed(kind=type(error).__name__, sentence=str(error))
        else:
            log_failure(_LOGGER, error)
            sentence = f"the engine failed ({type(error).__name__})"
            failed = Failed(kind=EngineFailed.__name__, sentence=sentence)
        send(self._channel, failed)


if __name__ == "__main__":
    main()
