"""The language model on a thread of its own, ahead of flow and vocoder."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from types import TracebackType
from typing import Self

_POLL_SECONDS = 0.05
"""How long a wait for a token lasts before whoever waits may look whether it is still wanted."""


class TokensAhead:
    """Runs an iterator of tokens on a thread. Use it as a context manager.

    Iterating yields the tokens, and None whenever none has come for a moment. Leaving the block
    stops the thread after the step that it is in. What the iterator raises is raised here.
    """

    def __init__(self, tokens: Iterator[int]) -> None:
        self._tokens = tokens
        self._queue: queue.SimpleQueue[int | BaseException | None] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="speech-lm", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()

    def __iter__(self) -> Iterator[int | None]:
        while True:
            try:
                item = self._queue.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                yield None
                continue
            if item is None:
                return
            if isinstance(item, BaseException):
                raise item
            yield item

    def _run(self) -> None:
        try:
            for token in self._tokens:
                if self._stop.is_set():
                    return
                self._queue.put(token)
            self._queue.put(None)
        except BaseException as error:  # noqa: BLE001  raised again on the thread that iterates
            self._queue.put(error)
