"""The scripts that people run; `script/try-fresh` runs them whole in an empty folder."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SCRIPTS = sorted(path for path in (ROOT / "script").iterdir() if path.is_file())
SHELL = [
    path
    for path in [
        *SCRIPTS,
        ROOT / ".ci" / "run",
        *ROOT.glob("addon/rootfs/usr/local/bin/*"),
        *ROOT.glob("addon/rootfs/etc/s6-overlay/s6-rc.d/*/finish"),
    ]
    if path.read_text("utf-8").startswith(("#!/bin/sh", "#!/usr/bin/env bash"))
]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_can_be_run(script):
    assert os.access(script, os.X_OK)
    assert script.read_text("utf-8").startswith("#!")


@pytest.mark.parametrize("script", SHELL, ids=lambda path: path.name)
def test_a_shell_script_has_no_syntax_error(script):
    subprocess.run(["sh", "-n", script], check=True)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_stops_at_the_first_failure(script):
    assert "set -eu" in script.read_text("utf-8")


@pytest.mark.skipif(not shutil.which("hadolint"), reason="hadolint is not installed")
def test_hadolint_finds_nothing():
    result = subprocess.run(
        ["hadolint", ROOT / "Dockerfile"], capture_output=True, text=True, check=False
    )
    assert result.stdout == ""


@pytest.mark.skipif(not shutil.which("shellcheck"), reason="shellcheck is not installed")
@pytest.mark.parametrize("script", SHELL, ids=lambda path: path.name)
def test_shellcheck_finds_nothing(script):
    result = subprocess.run(["shellcheck", script], capture_output=True, text=True, check=False)
    assert result.stdout == ""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of what script/setup reads, in an empty folder, with tools but no Python."""
    shutil.copytree(ROOT / "script", tmp_path / "script")
    for name in ("pyproject.toml", "requirements.lock", "requirements-dev.lock"):
        shutil.copy(ROOT / name, tmp_path)
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in ("sh", "cat", "cksum", "dirname"):
        (tools / tool).symlink_to(shutil.which(tool) or tool)
    return tmp_path


def setup(checkout: Path, kind: str = "serve") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [checkout / "script" / "setup", kind],
        env={"PATH": str(checkout / "tools")},
        capture_output=True,
        text=True,
        check=False,
    )


def fake_python(checkout: Path, name: str, body: str) -> None:
    path = checkout / "tools" / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def test_a_machine_without_python_is_told_what_is_missing(checkout):
    result = setup(checkout)
    assert result.returncode == 2
    assert result.stderr.startswith("Python 3.11, 3.12 or 3.13 with venv is needed")
    assert not (checkout / ".venv").exists()


def test_a_python_that_does_not_run_is_passed_over(checkout):
    fake_python(checkout, "python3.13", "echo 'version not installed' >&2; exit 127")
    fake_python(
        checkout, "python3.11", 'case $1 in -c) exit 0 ;; *) echo "chosen $*"; exit 7 ;; esac'
    )
    result = setup(checkout)
    assert result.returncode == 7
    assert "chosen -m venv" in result.stdout
    assert "version not installed" not in result.stderr


def test_an_unknown_kind_of_setup_is_refused(checkout):
    result = setup(checkout, "moon")
    assert result.returncode == 2
    assert "'moon' must be serve or dev" in result.stderr


def test_an_interrupted_setup_is_not_taken_for_done(checkout):
    fake_python(
        checkout,
        "python3.12",
        'case "$1 $2" in -c*) exit 0 ;; "-m venv") exit 3 ;; *) echo Python 3.12 ;; esac',
    )
    assert setup(checkout).returncode == 3
    assert setup(checkout).returncode == 3
