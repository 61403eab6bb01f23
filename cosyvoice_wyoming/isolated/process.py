"""The server's hold on the engine's process: starts it, asks it, watches it, ends it."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from cosyvoice_wyoming import errors, logs
from cosyvoice_wyoming.errors import EngineFailed, SpeechError
from cosyvoice_wyoming.isolated.messages import Failed, Message, receive, send
from cosyvoice_wyoming.isolated.patience import Patience, Watch

LOOK_SECONDS = 1.0
"""How often a step under way is looked at."""

END_SECONDS = 2.0


class Broken(Exception):
    """The process died or hung; the message says which."""


class Replaced(Broken):
    """Another request broke the process, and it has been replaced since."""


class Process:
    """A running engine process. Used from one thread."""

    def __init__(self) -> None:
        self._channel, theirs = socket.socketpair()
        level, form = logs.in_use()
        command = [sys.executable, "-m", "cosyvoice_wyoming.isolated.child"]
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603  # a fixed program
                [*command, str(theirs.fileno()), level, form],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=sys.__stderr__,
                # A heap for each thread keeps what another could use: two were 23 MB more than one.
                env=os.environ | {"MALLOC_ARENA_MAX": "1"},
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    def tell(self, message: Message) -> None:
        """Send what has no answer. Raises Broken."""
        try:
            send(self._channel, message)
        except OSError:
            raise self._broken() from None

    def ask(self, message: Message, patience: Patience) -> Message:
        """Return the answer. Raises Broken, and the SpeechError that the process failed with."""
        self.tell(message)
        watch = Watch(patience, now=time.monotonic(), cpu=self._cpu_seconds())
        while not select.select([self._channel], [], [], min(LOOK_SECONDS, patience.still))[0]:
            if reason := watch.verdict(now=time.monotonic(), cpu=self._cpu_seconds()):
                self.kill()
                raise Broken(f"the engine's process {reason}")
        try:
            answer = receive(self._channel)
        except OSError:
            answer = None
        if answer is None:
            raise self._broken()
        if isinstance(answer, Failed):
            raise _error(answer)
        return answer

    def kill(self) -> None:
        """End the process now, whatever it does."""
        self._process.kill()
        self._process.wait()
        self._channel.close()

    def close(self) -> None:
        """Let the process end; kill it if it does not."""
        self._channel.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(END_SECONDS)
        self.kill()

    def _broken(self) -> Broken:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(END_SECONDS)
        self.kill()
        return Broken(_how_it_ended(self._process.returncode))

    def _cpu_seconds(self) -> float:
        """Return what the process has used of the CPU; where the system tells nothing, the time."""
        try:
            stat = Path(f"/proc/{self.pid}/stat").read_text("ascii", errors="replace")
        except OSError:
            return time.monotonic()
        fields = stat.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _error(failed: Failed) -> SpeechError:
    kind = getattr(errors, failed.kind, EngineFailed)
    is_speech_error = isinstance(kind, type) and issubclass(kind, SpeechError)
    error: SpeechError = (kind if is_speech_error else EngineFailed)(failed.sentence)
    return error


def _how_it_ended(code: int) -> str:
    if code == -signal.SIGILL:
        return "the engine's process used an instruction that this CPU does not have"
    if code == -signal.SIGKILL:
        return "the engine's process was killed: most likely the memory ran out"
    if code < 0:
        return f"the engine's process crashed ({signal.Signals(-code).name})"
    return f"the engine's process ended by itself (status {code})"
