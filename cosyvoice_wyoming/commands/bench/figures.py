"""The figures of the benchmark, measured on a running server."""

from __future__ import annotations

import asyncio
import itertools
import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cosyvoice_wyoming.address import Address
from cosyvoice_wyoming.commands.bench.client import Heard, request
from cosyvoice_wyoming.commands.bench.process import ServerProcess, server_process
from cosyvoice_wyoming.commands.bench.texts import ANSWERS, PARAGRAPHS, long_text
from cosyvoice_wyoming.errors import EngineFailed
from cosyvoice_wyoming.text.language import Language

MIXED_REQUESTS = 100
CLIENTS_AT_ONCE = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageFigures:
    """One language: seconds to first audio (medians), RTF of a paragraph, MB after it."""

    language: Language
    first_audio_answer: float
    first_audio_paragraph: float
    first_audio_long: float
    rtf: float
    rss_mb: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Everything that was measured; times in seconds, memory in MB.

    `first_speech` is from the start of the process to the first audio of the first request.
    `load` is the system's load average before: above a tenth, the times are not to be trusted.
    """

    machine: str
    load: float
    port_open: float
    first_speech: float
    languages: tuple[LanguageFigures, ...]
    rss_after_half: float
    rss_after_all: float
    at_once_first_audio: float
    at_once_errors: int


async def measure(options: Sequence[str], *, rounds: int, say: Callable[[str], None]) -> Figures:
    """Run a server with `options` of `serve` and measure it; `say` is told what is going on.

    Raises EngineFailed if the server does not start or an answer fails.
    """
    load = os.getloadavg()[0]
    async with server_process(options) as server:
        say("waiting for the first speech")
        heard = await request(server.address, ANSWERS[Language.ZH][0])
        first_speech = time.perf_counter() - server.started - heard.total + heard.first_audio
        languages = []
        for language in Language:
            say(f"measuring {language}")
            languages.append(await _measure_language(server, language, rounds))
        say(f"{MIXED_REQUESTS} mixed requests")
        half, whole = await _mixed(server)
        say(f"{CLIENTS_AT_ONCE} clients at once")
        at_once = await _at_once(server.address)
    firsts = [heard.first_audio for heard in at_once if isinstance(heard, Heard)]
    return Figures(
        machine=f"{os.cpu_count()} x {platform.machine()}",
        load=load,
        port_open=server.port_open,
        first_speech=first_speech,
        languages=tuple(languages),
        rss_after_half=half,
        rss_after_all=whole,
        at_once_first_audio=max(firsts, default=0.0),
        at_once_errors=len(at_once) - len(firsts),
    )


async def _measure_language(
    server: ServerProcess, language: Language, rounds: int
) -> LanguageFigures:
    address = server.address
    voice = f"{language}_female_01"
    answers = [
        await request(address, text, voice=voice)
        for _, text in itertools.product(range(rounds), ANSWERS[language])
    ]
    paragraphs = [await request(address, PARAGRAPHS[language], voice=voice) for _ in range(rounds)]
    long = [
        await request(address, long_text(language), voice=voice, listen=False)
        for _ in range(rounds)
    ]
    return LanguageFigures(
        language=language,
        first_audio_answer=statistics.median(heard.first_audio for heard in answers),
        first_audio_paragraph=statistics.median(heard.first_audio for heard in paragraphs),
        first_audio_long=statistics.median(heard.first_audio for heard in long),
        rtf=statistics.median(heard.rtf for heard in paragraphs),
        rss_mb=server.rss_mb(),
    )


async def _mixed(server: ServerProcess) -> tuple[float, float]:
    """Send all answers in turn; return the memory at half time and at the end."""
    texts = itertools.cycle(itertools.chain.from_iterable(zip(*ANSWERS.values(), strict=True)))
    memory = []
    for number, text in enumerate(itertools.islice(texts, MIXED_REQUESTS), start=1):
        await request(server.address, text)
        if number in {MIXED_REQUESTS // 2, MIXED_REQUESTS}:
            memory.append(server.rss_mb())
    return memory[0], memory[1]


async def _at_once(address: Address) -> list[Heard | BaseException]:
    texts = [ANSWERS[language][1] for language in Language]
    clients = (request(address, text) for text in itertools.islice(texts, CLIENTS_AT_ONCE))
    heard = await asyncio.gather(*clients, return_exceptions=True)
    if unexpected := [e for e in heard if isinstance(e, Exception) and not _is_answer(e)]:
        raise unexpected[0]
    return list(heard)


def _is_answer(error: Exception) -> bool:
    return isinstance(error, (EngineFailed, OSError))
