"""What must never come into this package, and what a stranger may send."""

from __future__ import annotations

import ast
import configparser
from collections.abc import Iterator
from pathlib import Path

import pytest

from cosyvoice_wyoming.errors import BadOption
from cosyvoice_wyoming.settings import load
from tests.support.clients import plain
from tests.support.serving import serving

ROOT = Path(__file__).parent.parent
MODULES = sorted((ROOT / "cosyvoice_wyoming").rglob("*.py"))
HOSTILE = ["../../etc/passwd", "/etc/passwd", "zh_female_01/../x", "a\x00b", "..", "%2e%2e/", "🦊"]


def calls(path: Path) -> Iterator[str]:
    """Yield what a module calls, as it is written."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_nothing_is_unpickled_or_evaluated(path):
    forbidden = {"pickle.load", "pickle.loads", "eval", "exec", "marshal.loads", "shelve.open"}
    forbidden |= {"os.system", "os.popen", "torch.load", "tempfile.mktemp"}
    assert not forbidden & set(calls(path))
    assert not any(keyword in path.read_text("utf-8") for keyword in ("shell=True", "allow_pickle"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_no_duration_depends_on_a_clock_that_may_be_set(path):
    assert not {"time.time", "datetime.now", "datetime.utcnow"} & set(calls(path))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_model_is_no_path(name):
    with pytest.raises(BadOption):
        load({"model": name}, environ={}, app_options=Path("/no/such/file"))


async def test_a_voice_is_no_path():
    async with serving() as running:
        for name in HOSTILE:
            heard = await plain(running.port, "你好。", voice={"name": name, "speaker": name})
            assert heard.events == ["audio-start", "audio-chunk", "audio-stop"]


def test_the_unit_gives_up_what_the_server_does_not_need():
    unit = configparser.ConfigParser(strict=False)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(ROOT / "docs" / "cosyvoice-wyoming.service", "utf-8")
    service = unit["Service"]
    assert service["CapabilityBoundingSet"] == ""
    for name in (
        "NoNewPrivileges",
        "ProtectHome",
        "PrivateTmp",
        "PrivateDevices",
        "LockPersonality",
    ):
        assert service[name] == "yes"
    assert service["ProtectSystem"] == "strict"
    assert service["User"] != "root"
    assert service["Restart"] == "on-failure"
