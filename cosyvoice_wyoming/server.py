"""The server: opens the door at once, loads the model behind it, serves until told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import importlib
import logging
import os
import signal
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from types import TracebackType
from typing import Any, Self

from cosyvoice_wyoming import info, wire
from cosyvoice_wyoming.address import StdioAddress
from cosyvoice_wyoming.caretaker import Caretaker
from cosyvoice_wyoming.discovery import announced
from cosyvoice_wyoming.errors import BadOption, ServerBusy, SpeechError
from cosyvoice_wyoming.journal import Journal
from cosyvoice_wyoming.listen import Listener, listen, open_stdio
from cosyvoice_wyoming.rehearsal import rehearsals
from cosyvoice_wyoming.session import House, Limits, Session
from cosyvoice_wyoming.settings import Settings
from cosyvoice_wyoming.speech import Manner, Studio
from cosyvoice_wyoming.stats import EVENT, Stats, take_stats
from cosyvoice_wyoming.studio import Loading, check_model
from cosyvoice_wyoming.voices import STANDARD_VOICES
from cosyvoice_wyoming.worker import Worker

_LOGGER = logging.getLogger(__name__)

GOODBYE_SECONDS = 3.0
"""How long clients have to take the error that the server is shutting down."""


async def serve(settings: Settings) -> Settings | None:
    """Serve clients until SIGTERM or SIGINT; a second signal ends the process at once.

    Returns the settings to go on with if somebody chose another model on the page, else None.
    Raises BadOption if the address cannot be had or there is no such model, EngineFailed if the
    model breaks again and again.
    """
    stopping = asyncio.Event()
    following: list[Settings] = []
    broken: list[SpeechError] = []

    def switch(model: str) -> None:
        following.append(dataclasses.replace(settings, model=model))
        stopping.set()

    def give_up(error: SpeechError) -> None:
        broken.append(error)
        stopping.set()

    server = Server(settings, give_up=give_up)
    with _signals_set(stopping):
        if isinstance(settings.uri, StdioAddress):
            await _serve_stdio(server, stopping)
        else:
            await _serve_door(server, settings, stopping, switch)
    if broken:
        raise broken[0]
    if following:
        return following[-1]
    if server.worker.running:
        # A step in native code cannot be interrupted, and Python's own end would abort under it.
        logging.shutdown()
        os._exit(0)
    return None


class Server:
    """Sessions for all clients around one worker, as an asynchronous context manager."""

    def __init__(
        self,
        settings: Settings,
        *,
        load: Callable[[], Studio] | None = None,
        limits: Limits | None = None,
        warm: bool = True,
        give_up: Callable[[SpeechError], object] = lambda _: None,
    ) -> None:
        self._settings = settings
        self._on_broken = give_up
        self._loop: asyncio.AbstractEventLoop | None = None
        self._description = info.describe(STANDARD_VOICES).event()
        manner = Manner(
            speed=settings.speed,
            sample_rate=settings.sample_rate,
            lead_silence=settings.lead_silence_ms / 1000,
            trail_silence=settings.trail_silence_ms / 1000,
            fluent=settings.pace == "fluency",
        )
        self.manner = manner
        self._loading = Loading(settings, self._give_up)
        self.worker = Worker(
            load or self._loading,
            unload=Studio.close,
            on_loaded=self._on_loaded,
            warm_up=rehearsals(manner) if warm else (),
        )
        journal = Journal()
        self.caretaker = Caretaker(
            self.worker, journal, threads=settings.threads, use_small=self._use_small
        )
        self.house = House(
            worker=self.worker,
            manner=lambda: self.caretaker.manner(self.manner),
            info=lambda: self._description,
            stats=lambda: wire.Event(type=EVENT, data=dataclasses.asdict(self.stats())),
            journal=journal,
            limits=limits or Limits(max_text_chars=settings.max_text_chars),
        )
        self.studio: Studio | None = None
        """What has been loaded; None before."""
        self._sessions: set[asyncio.Task[None]] = set()
        self._refusals: set[asyncio.Task[None]] = set()
        self._looking: asyncio.Task[None] | None = None
        self._listener: Listener | None = None

    @property
    def port(self) -> int:
        """The TCP port that is open; 0 if it is none."""
        return self._listener.port if self._listener else 0

    def stats(self) -> Stats:
        """Return the figures of now."""
        return take_stats(
            self.house.journal, self.worker, clients=self.clients, rung=self.caretaker.rung
        )

    @property
    def clients(self) -> int:
        """How many clients are connected."""
        return len(self._sessions)

    async def __aenter__(self) -> Self:
        if not isinstance(self._settings.uri, StdioAddress):
            self._listener = await listen(self._settings.uri, self.serve_client)
        try:
            check_model(self._settings.model)
        except BadOption:
            if self._listener:
                self._listener.close()
            raise
        self._loop = asyncio.get_running_loop()
        self.worker.start()
        self._looking = asyncio.create_task(self.caretaker.run())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._listener:
            self._listener.close()
        if self._looking:
            self._looking.cancel()
            await asyncio.wait([self._looking])
        talks = self._sessions | self._refusals
        for talk in talks:
            talk.cancel()
        if talks:
            await asyncio.wait(talks, timeout=GOODBYE_SECONDS)
        await self.worker.close()

    def serve_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Start a session for a client that has connected."""
        if self.clients >= self._settings.max_connections:
            refusal = ServerBusy("too many clients are connected: try again later")
            self._keep(self._refusals, wire.hang_up(reader, writer, refusal))
        else:
            self._keep(self._sessions, Session(reader, writer, self.house).run())

    @staticmethod
    def _keep(tasks: set[asyncio.Task[None]], talk: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(talk)
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    def _use_small(self, small: bool) -> None:  # noqa: FBT001  # the one thing it says
        """Load the embedded model, or again the one that was asked for, when nobody waits."""
        self._loading.small = small
        self._loading.changing = True
        self.worker.reload()

    def _give_up(self, error: SpeechError) -> None:
        """Say that no engine can be had any more. Called on the worker's thread."""
        if self._loop:
            self._loop.call_soon_threadsafe(self._on_broken, error)

    def _on_loaded(self, studio: Studio) -> None:
        self.studio = studio
        self._description = info.describe(studio.engine.voices).event()
        _LOGGER.info("the model %s is ready", self._settings.model)


async def _serve_door(
    server: Server, settings: Settings, stopping: asyncio.Event, switch: Callable[[str], None]
) -> None:
    """Serve the clients of a port or a Unix socket until told to stop."""
    async with server:
        _LOGGER.info("listening at %s", settings.uri)
        async with announced(settings, server.port), _http_side(settings, server, switch):
            await stopping.wait()
            _LOGGER.info("stopping")


@contextlib.asynccontextmanager
async def _http_side(
    settings: Settings, server: Server, switch: Callable[[str], None]
) -> AsyncIterator[None]:
    """Serve the page and the HTTP interface as well, if the settings ask for them."""
    if settings.http is None:
        yield
        return
    try:
        # Importing it takes half a second, in which no client would be answered.
        await asyncio.to_thread(importlib.import_module, "cosyvoice_wyoming.http.app")
        from cosyvoice_wyoming.http.app import serving
        from cosyvoice_wyoming.http.desk import Desk
    except ImportError as error:
        missing = f"--http needs {error.name}: install cosyvoice-wyoming with the extra 'http'"
        raise BadOption(missing) from None
    desk = Desk(
        settings=settings,
        worker=server.worker,
        manner=server.manner,
        journal=server.house.journal,
        studio=lambda: server.studio,
        clients=lambda: server.clients,
        switch=switch,
        stats=server.stats,
    )
    async with serving(desk, settings.http):
        yield


async def _serve_stdio(server: Server, stopping: asyncio.Event) -> None:
    """Serve the one client on standard input and output until it ends its side."""
    reader, writer = await open_stdio()
    async with server:
        session = asyncio.create_task(Session(reader, writer, server.house).run())
        stop = asyncio.create_task(stopping.wait())
        await asyncio.wait({session, stop}, return_when=asyncio.FIRST_COMPLETED)
        stop.cancel()
        session.cancel()
        await asyncio.wait({session}, timeout=GOODBYE_SECONDS)


@contextlib.contextmanager
def _signals_set(stopping: asyncio.Event) -> Iterator[None]:
    """Let SIGTERM and SIGINT set an event; the second one ends the process."""

    def stop() -> None:
        if stopping.is_set():
            os._exit(1)
        stopping.set()

    loop = asyncio.get_running_loop()
    signals = (signal.SIGTERM, signal.SIGINT)
    for number in signals:
        loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        for number in signals:
            loop.remove_signal_handler(number)
