"""The weights that come with this package: what each is, said by the card beside it.

A card is written together with its weights, so size and hash have one place and cannot disagree.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cosyvoice_wyoming.errors import ModelCorrupt


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A file of our own. `path` is relative to `models_dir()`; `voices` are those it was made for.

    Without `voices` it serves every voice.
    """

    path: str
    size: int
    sha256: str
    licence: str
    voices: tuple[str, ...]


def models_dir() -> Path:
    """Return the folder of `sources.toml` and of the weights that come with the package.

    An installed wheel carries it inside the package, a checkout has it beside the package.
    """
    package = Path(__file__).resolve().parent.parent
    installed = package / "_models"
    return installed if installed.is_dir() else package.parent / "models"


def read_card(models: Path, name: str) -> Card:
    """Return the card at `name` below the folder `models`. Raises ModelCorrupt."""
    path = models / name
    try:
        table: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
        return Card(
            path=path.with_name(table["file"]).relative_to(models).as_posix(),
            size=table["size"],
            sha256=table["sha256"],
            licence=table["licence"],
            voices=tuple(table.get("voices", ())),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelCorrupt(
            f"{path} cannot be read ({error}): install this program again."
        ) from error
