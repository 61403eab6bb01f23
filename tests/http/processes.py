"""A server process with its HTTP side, for tests that are clients and nothing else."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from cosyvoice_wyoming.settings import ENVIRONMENT_PREFIX


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def start(data_dir: Path, **options: str) -> Iterator[str]:
    """Run a server; yield the address of its page."""
    port = free_port()
    environment = {ENVIRONMENT_PREFIX + name.upper(): value for name, value in options.items()}
    command = [sys.executable, "-m", "cosyvoice_wyoming", "serve", "--no-zeroconf"]
    command += ["--uri", "tcp://127.0.0.1:0", "--http", f"127.0.0.1:{port}", "--model", "tone"]
    with subprocess.Popen(
        [*command, "--data-dir", str(data_dir)], env=os.environ | environment
    ) as process:
        try:
            wait_for(f"http://127.0.0.1:{port}/health")
            yield f"http://127.0.0.1:{port}/"
        finally:
            process.terminate()
            assert process.wait(20) == 0


def wait_for(url: str) -> None:
    for _ in range(300):
        try:
            with urllib.request.urlopen(url):  # noqa: S310 - an address of this test
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail(f"nothing answers at {url}")
