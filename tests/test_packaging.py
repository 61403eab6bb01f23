"""What an installation is made of: dependencies, locks, the wheel."""

from __future__ import annotations

import ast
import importlib.metadata
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
LOCKS = ["requirements.lock", "requirements-dev.lock"]


def names(requirements: list[str]) -> set[str]:
    """Return the packages of requirement lines, written alike."""
    return {
        re.split(r"[^A-Za-z0-9._-]", line)[0].lower().replace("_", "-") for line in requirements
    }


def locked(lock: str) -> list[str]:
    """Return the entries of a lock: each a pinned package with its hashes."""
    lines = (ROOT / lock).read_text("utf-8").replace("\\\n", "").splitlines()
    return [line for line in lines if line and not line.lstrip().startswith("#")]


def test_every_library_that_the_package_imports_is_declared():
    providers = importlib.metadata.packages_distributions()
    declared = names(PROJECT["project"]["dependencies"])
    for extra in PROJECT["project"].get("optional-dependencies", {}).values():
        declared |= names(extra)
    imported = set()
    for path in (ROOT / "cosyvoice_wyoming").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                imported.add(node.module.split(".")[0])
    foreign = imported - set(sys.stdlib_module_names) - {"cosyvoice_wyoming"}
    undeclared = {
        library for library in foreign if not names(providers.get(library, [library])) & declared
    }
    assert not undeclared


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_pins_every_package_by_hash(lock):
    entries = locked(lock)
    assert entries
    for entry in entries:
        assert re.match(r"[a-z0-9._-]+==\S+ ", entry), entry[:60]
        assert "--hash=sha256:" in entry


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_index(lock):
    text = (ROOT / lock).read_text("utf-8")
    assert "://" not in text
    assert "index" not in text


def test_the_locks_hold_what_the_project_declares():
    runtime, dev = names(locked("requirements.lock")), names(locked("requirements-dev.lock"))
    groups = PROJECT["dependency-groups"]
    assert names(PROJECT["project"]["dependencies"]) | names(groups["build"]) <= runtime
    assert runtime | names(groups["dev"]) <= dev


def test_the_lock_leaves_the_unread_dictionary_out():
    assert "sudachidict-core" not in names(locked("requirements.lock"))
    assert "pyopenjtalk-plus" in names(locked("requirements.lock"))


def test_the_wheel_carries_models_and_data(tmp_path):
    build = [
        *(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"),
        *("--no-index", "--wheel-dir", str(tmp_path), str(ROOT)),
    ]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = tmp_path.iterdir()
    with zipfile.ZipFile(wheel) as archive:
        members = set(archive.namelist())
    assert "cosyvoice_wyoming/_models/sources.toml" in members
    package = ROOT / "cosyvoice_wyoming"
    shipped = {
        path.relative_to(ROOT).as_posix()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert shipped <= members
    assert not [member for member in members if member.startswith("tests/")]
