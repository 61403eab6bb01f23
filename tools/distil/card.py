"""The card beside an exported graph, by which the package knows it."""

from __future__ import annotations

import hashlib
from pathlib import Path


def write_card(graph: Path, tool: str, facts: list[str]) -> None:
    """Write beside a graph what every card says of its own, then `facts`, lines of TOML."""
    content = graph.read_bytes()
    lines = [
        f"# Written by tools/distil/{tool}; README.md beside this file says what was measured.",
        f'file = "{graph.name}"',
        f"size = {len(content)}",
        f'sha256 = "{hashlib.sha256(content).hexdigest()}"',
        'licence = "Apache-2.0"',
        *facts,
    ]
    graph.with_suffix(".toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
