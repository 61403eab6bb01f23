"""Modules stand in the order in which a request flows; nothing calls backwards."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "cosyvoice_wyoming"

MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "address": {"errors"},
    "options": {"address", "errors"},
    "settings": {"address", "errors", "options"},
    "text": {"errors"},
    "phonemes": {"text", "errors"},
    "voices": {"text"},
    "audio": {"errors"},
    "checkpoint": {"errors"},
    "bundles": {"errors", "checkpoint", "machine"},
    "engine": {"text", "phonemes", "voices", "bundles", "checkpoint", "errors", "machine"},
    "journal": set(),
    "schedule": set(),
    "playback": set(),
    "pace": {"text"},
    "lane": {"audio", "errors", "playback", "schedule"},
    "worker": {"audio", "errors", "idle", "lane", "logs", "schedule"},
    "durable": set(),
    "logs": set(),
    "machine": {"errors"},
    "ladder": set(),
    "caretaker": {"isolated", "journal", "ladder", "machine", "narration", "rehearsal", "worker"},
    "stats": {"isolated", "journal", "ladder", "machine", "narration", "worker"},
    "isolated": {"engine", "errors", "logs", "machine", "text", "voices"},
    "phrase_files": {"audio", "durable"},
    "phrases": {"audio", "phrase_files", "text", "voices"},
    "narration": {"audio", "engine", "pace", "phrases", "schedule", "text", "voices"},
    "idle": set(),
    "rehearsal": {"idle", "narration", "schedule", "text", "voices"},
    "speech": {
        "audio",
        "errors",
        "journal",
        "lane",
        "narration",
        "pace",
        "text",
        "voices",
        "worker",
    },
    "studio": {
        "bundles",
        "engine",
        "errors",
        "isolated",
        "machine",
        "narration",
        "phrase_files",
        "phrases",
        "settings",
        "text",
        "voices",
    },
    "info": {"text", "voices"},
    "wire": {"errors"},
    "session": {"audio", "errors", "journal", "speech", "stats", "voices", "wire", "worker"},
    "listen": {"address", "errors", "wire"},
    "discovery": {"address", "settings"},
    "health": {"address", "errors"},
}
"""Part of the package: the other parts it may import. What is not listed may import any."""

ONLY_IN: dict[str, set[str]] = {
    "wyoming": {"wire", "session", "info", "server", "health", "commands"},
    "onnxruntime": {"engine", "bundles"},
    "onnx": {"bundles", "engine"},
    "zeroconf": {"discovery"},
    "torch": set(),
    "transformers": set(),
    "fastapi": {"http"},
    "uvicorn": {"http"},
    "starlette": {"http"},
}
"""Library: the parts of the package that may import it."""

HEAVY = {
    "numpy", "onnx", "onnxruntime", "zeroconf", "ifaddr", "wyoming", "pypinyin", "pyopenjtalk",
    "hibari", "canto_hk_g2p", "sentencepiece", "soxr", "pydantic", "fastapi", "uvicorn",
}  # fmt: skip


def modules() -> Iterator[tuple[Path, str]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        relative = path.relative_to(PACKAGE)
        yield path, relative.parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[str]:
    """Yield the dotted names that a module imports, wherever in it that stands.

    Names that only type checkers see are left out: they call nothing.
    """
    for node in _nodes(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide what is imported"
            assert node.module
            if node.module == PACKAGE.name:
                yield from (f"{node.module}.{alias.name}" for alias in node.names)
            else:
                yield node.module


def _nodes(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _nodes(child)


CASES = [pytest.param(path, part, id=str(path.relative_to(PACKAGE))) for path, part in modules()]


@pytest.mark.parametrize(("path", "part"), CASES)
def test_a_module_imports_only_what_stands_before_it(path, part):
    own = [name.split(".")[1:] for name in imports(path) if name.split(".")[0] == PACKAGE.name]
    parts = {name[0] for name in own if name} - {part, "__version__"}
    allowed = MAY_IMPORT.get(part)
    assert allowed is None or parts <= allowed, parts - allowed


@pytest.mark.parametrize(("path", "part"), CASES)
def test_a_library_is_used_in_its_place_only(path, part):
    libraries = {name.split(".")[0] for name in imports(path)}
    misplaced = {library for library in libraries & ONLY_IN.keys() if part not in ONLY_IN[library]}
    assert not misplaced


def test_every_listed_part_exists():
    assert set(MAY_IMPORT) <= {part for _, part in modules()}


@pytest.mark.parametrize("statement", ["import cosyvoice_wyoming", "import cosyvoice_wyoming.cli"])
def test_importing_is_cheap(statement):
    check = f"{statement}; import sys; print(*sorted(set(sys.modules) & {HEAVY!r}))"
    result = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, text=True, check=True
    )
    assert result.stdout.split() == []


def test_the_port_opens_before_anything_for_speaking_is_imported():
    late = HEAVY - {"numpy", "wyoming", "ifaddr"}
    check = f"import cosyvoice_wyoming.server, sys; print(*sorted(set(sys.modules) & {late!r}))"
    result = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, text=True, check=True
    )
    assert result.stdout.split() == []
