from __future__ import annotations

import contextlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
import wave
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyvoice_wyoming import __version__, cli
from cosyvoice_wyoming.commands import voices
from cosyvoice_wyoming.errors import BadOption
from cosyvoice_wyoming.voices import STANDARD_VOICES

PROGRAM = [sys.executable, "-m", "cosyvoice_wyoming"]
COMMANDS = ["serve", "say", "voices", "models", "explain", "health", "stats", "bench"]


def run(
    *arguments: str, stdin: bytes = b"", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*PROGRAM, *arguments],
        input=stdin,
        capture_output=True,
        env=os.environ | environment,
        timeout=120,
        check=False,
    )


def complaint(result: subprocess.CompletedProcess[bytes]) -> str:
    (line,) = result.stderr.decode().splitlines()
    return line


def test_help_names_every_command():
    result = run("--help")
    assert result.returncode == 0
    assert all(f"    {command} " in result.stdout.decode() for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command):
    result = run(command, "--help")
    assert result.returncode == 0
    assert result.stdout.startswith(b"usage:")


def test_version():
    assert run("--version").stdout.decode().strip() == f"cosyvoice-wyoming {__version__}"


WRONG = [
    [],
    ["dance"],
    ["serve", "--loud"],
    ["serve", "--spee", "1"],
    ["serve", "--speed"],
    ["serve", "--speed", "9"],
    ["serve", "--uri", "gopher://x"],
    ["serve", "--model", "nobody"],
    ["serve", "--voice", "somebody"],
    ["serve", "--log-level", "loud"],
    ["say"],
    ["say", "hello", "--voice", "somebody", "-o", "-"],
    ["say", "hello", "--speed", "0", "-o", "-"],
    ["say", "hello", "--model", "nobody", "-o", "-"],
    ["say", "hello", "-o", "/nonexistent/folder/x.wav"],
    ["voices", "--model", "nobody"],
    ["models"],
    ["models", "eat"],
    ["models", "fetch", "nobody"],
    ["models", "verify", "../../etc"],
    ["health", "--uri", "stdio://"],
    ["bench", "--rounds", "many"],
    ["bench", "--json", "/nonexistent/folder/x.json"],
]


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_wrong_use_is_one_sentence_and_status_2(arguments):
    result = run(*arguments)
    assert result.returncode == 2
    assert complaint(result).startswith("cosyvoice-wyoming: ")
    assert b"Traceback" not in result.stderr


@given(st.lists(st.sampled_from([*COMMANDS, "-o", "--voice", "x", "-1", "", "\udc80", "--speed"])))
def test_any_command_line_is_understood_or_refused_in_a_sentence(arguments):
    with contextlib.suppress(BadOption):
        assert cli.parser().parse_args(arguments).run


def test_voices_are_a_table_of_all_twelve():
    lines = run("voices").stdout.decode().splitlines()
    assert lines[0].split() == ["VOICE", "LANGUAGE", "GENDER", "DESCRIPTION", "REMARK"]
    assert [line.split()[0] for line in lines[1:]] == [voice.name for voice in STANDARD_VOICES]


def test_auto_is_a_model_that_there_is():
    assert run("voices", "--model", "auto").returncode == 0


def test_models_are_listed_with_their_state(tmp_path):
    result = run("models", "list", "--data-dir", str(tmp_path))
    row = next(row for row in result.stdout.decode().splitlines() if row.startswith("lite "))
    assert "absent" in row
    assert "Apache-2.0" in row


def test_verifying_a_model_that_is_not_there_says_so(tmp_path):
    result = run("models", "verify", "lite", "--data-dir", str(tmp_path))
    assert result.returncode == 1
    assert "no model" in complaint(result).lower()


def test_say_writes_a_wav_file(tmp_path):
    result = run("say", "Hello.", "--model", "tone", "-o", str(tmp_path / "hello.wav"))
    assert result.returncode == 0
    assert result.stderr == b""
    with wave.open(str(tmp_path / "hello.wav")) as file:
        assert (file.getnchannels(), file.getsampwidth()) == (1, 2)
        assert file.getnframes() > 0
    assert [path.name for path in tmp_path.iterdir()] == ["hello.wav"]


def test_say_reads_and_writes_pipes():
    result = run("say", "-", "--model", "tone", "-o", "-", stdin="你好。".encode())
    with wave.open(io.BytesIO(result.stdout)) as file:
        assert file.getnframes() > 0


def test_say_speaks_faster_when_told():
    def length(speed: str) -> int:
        result = run("say", "One two three.", "--model", "tone", "--speed", speed, "-o", "-")
        return len(result.stdout)

    assert length("2.0") < length("1.0") < length("0.5")


def test_say_plays_through_aplay(tmp_path):
    heard = tmp_path / "heard"
    aplay = tmp_path / "aplay"
    aplay.write_text(f'#!/bin/sh\necho "$@" > {heard}.options\nexec cat > {heard}\n')
    aplay.chmod(0o755)
    result = run("say", "Hello.", "--model", "tone", PATH=f"{tmp_path}:/bin:/usr/bin")
    assert result.returncode == 0, result.stderr
    assert "-f S16_LE -c 1 -r 24000" in heard.with_suffix(".options").read_text()
    assert heard.stat().st_size > 1000


def test_say_reports_a_player_that_fails(tmp_path):
    aplay = tmp_path / "aplay"
    aplay.write_text("#!/bin/sh\ncat > /dev/null; echo 'no sound card' >&2; exit 1\n")
    aplay.chmod(0o755)
    result = run("say", "Hello.", "--model", "tone", PATH=f"{tmp_path}:/bin:/usr/bin")
    assert result.returncode == 2
    assert "no sound card" in complaint(result)


def test_say_without_a_player_names_the_way_out(tmp_path):
    result = run("say", "Hello.", "--model", "tone", PATH=str(tmp_path))
    assert result.returncode == 2
    assert "-o FILE" in complaint(result)


def test_health_of_no_server_is_status_1():
    result = run("health", "--uri", "tcp://127.0.0.1:1")
    assert result.returncode == 1
    assert "no server answers" in complaint(result)


def test_the_environment_reaches_the_settings():
    result = run("serve", COSYVOICE_WYOMING_SPEED="fast")
    assert result.returncode == 2
    assert "COSYVOICE_WYOMING_SPEED" in complaint(result)


def test_a_reader_that_leaves_ends_the_command_quietly():
    with subprocess.Popen(
        [*PROGRAM, "voices"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(30) == 1


def test_control_c_ends_the_command_quietly():
    # a shell that runs the tests in the background has them, and so the command, ignore the signal
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(
        [*PROGRAM, "say", "-", "--model", "tone", "-o", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        time.sleep(1.5)  # until it waits for its text
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        assert errors == b""
        assert process.returncode == 130


def test_an_unexpected_failure_is_a_sentence(monkeypatch, capsys):
    def fail(args) -> int:
        raise RuntimeError("the moon\nfell down")

    monkeypatch.setattr(voices, "run", fail)
    assert cli.run(["voices"]) == 1
    assert capsys.readouterr().err == (
        "cosyvoice-wyoming: unexpected failure, RuntimeError: the moon fell down\n"
    )


def test_bench_measures_a_server_over_the_wire(tmp_path):
    figures = tmp_path / "figures.json"
    result = run("bench", "--model", "tone", "--rounds", "1", "--json", str(figures))
    assert result.returncode == 0, result.stderr
    written = json.loads(figures.read_text())
    assert [row["language"] for row in written["languages"]] == ["zh", "yue", "ja", "ko", "en"]
    assert all(row["first_audio_answer"] > 0 for row in written["languages"])
    assert written["at_once_errors"] == 0
    assert "5 clients at once: 0 errors" in result.stdout.decode()


def test_bench_says_why_the_server_did_not_start():
    result = run("bench", "--model", "tone", "--rounds", "1", COSYVOICE_WYOMING_THREADS="many")
    assert result.returncode == 2
    assert "COSYVOICE_WYOMING_THREADS" in complaint(result)


def test_the_readme_names_every_option_and_command():
    readme = (Path(__file__).parent.parent / "README.md").read_text("utf-8")
    described = run("serve", "--help").stdout.decode()
    options = set(re.findall(r"^  (--[a-z-]+)", described, re.MULTILINE)) - {"--fetch-first"}
    assert len(options) > 15
    missing = {option for option in options if option not in readme}
    assert not missing
    assert all(f"`{command}" in readme or f" {command}" in readme for command in COMMANDS)
