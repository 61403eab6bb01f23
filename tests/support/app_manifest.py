"""What the Supervisor demands of an app's config.yaml, after Home Assistant's developer docs.

The parts that this app uses are checked closely; a key that is not known here is a fault, so that
a misspelt one does not pass.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ARCHITECTURES = {"aarch64", "amd64"}
MAP_TYPES = {"share", "ssl", "media", "data", "app_config", "addon_config", "backup"}
STAGES = {"stable", "experimental", "deprecated"}
STARTUPS = {"initialize", "system", "services", "application", "once"}
REQUIRED = {"name", "version", "slug", "description", "arch"}

_SCHEMA_TYPES = re.compile(
    r"(str|int|float)(\((-?[0-9.]+)?,(-?[0-9.]+)?\))?\??|bool\??|password\??|port\??|"
    r"list\([^|()]+(\|[^|()]+)*\)\??|match\(.+\)\??"
)


def _text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(_text(item) for item in value)


def _flag(value: object) -> bool:
    return isinstance(value, bool)


def _port(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 65536


def _matches(pattern: str) -> Callable[[object], bool]:
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None


def _ports(value: object) -> bool:
    return isinstance(value, dict) and all(
        _matches(r"[0-9]{1,5}/(tcp|udp)")(port) and (host is None or _port(host))
        for port, host in value.items()
    )


def _map(value: object) -> bool:
    return isinstance(value, list) and all(
        str(item.get("type") if isinstance(item, dict) else item).removesuffix(":rw") in MAP_TYPES
        for item in value
    )


RULES: dict[str, Callable[[object], bool]] = {
    "name": _text,
    "version": _matches(r"[0-9]+(\.[0-9]+)*([.-]?[a-z0-9.]+)?"),
    "slug": _matches(r"[-_.A-Za-z0-9]+"),
    "description": _text,
    "url": _matches(r"https?://\S+"),
    "arch": lambda value: _texts(value) and bool(value) and set(value) <= ARCHITECTURES,  # type: ignore[call-overload]
    "image": _matches(r"[a-z0-9.-]+(/[a-z0-9._{}-]+)+"),
    "homeassistant": _matches(r"[0-9]{4}\.[0-9]{1,2}\.[0-9]+\S*"),
    "init": _flag,
    "startup": lambda value: value in STARTUPS,
    "boot": lambda value: value in {"auto", "manual", "manual_only"},
    "stage": lambda value: value in STAGES,
    "timeout": lambda value: isinstance(value, int) and 10 <= value <= 300,
    "discovery": _texts,
    "ingress": _flag,
    "ingress_port": lambda value: value == 0 or _port(value),
    "ingress_stream": _flag,
    "panel_icon": _matches(r"mdi:[a-z0-9-]+"),
    "panel_title": _text,
    "watchdog": _matches(r"(https?|tcp)://\[HOST\]:\[PORT:[0-9]+\]\S*"),
    "ports": _ports,
    "backup_exclude": _texts,
    "map": _map,
    "options": lambda value: isinstance(value, dict),
    "schema": lambda value: isinstance(value, dict),
}


def problems(manifest: dict[str, Any]) -> list[str]:
    """Return what is wrong with a manifest, a line each."""
    return [
        *(f"{key} is missing" for key in sorted(REQUIRED - manifest.keys())),
        *_of_keys(manifest),
        *_of_options(manifest.get("options") or {}, manifest.get("schema") or {}),
        *_of_ingress(manifest),
    ]


def _of_keys(manifest: dict[str, Any]) -> Iterator[str]:
    for key, value in manifest.items():
        if key not in RULES:
            yield f"{key} is not a key"
        elif not RULES[key](value):
            yield f"{key} may not be {value!r}"


def _of_options(options: dict[str, Any], schema: dict[str, Any]) -> Iterator[str]:
    for name, kind in schema.items():
        if not isinstance(kind, str) or not _SCHEMA_TYPES.fullmatch(kind):
            yield f"schema.{name} is not a type: {kind!r}"
        elif name not in options and not kind.endswith("?"):
            yield f"options.{name} has no value"
        elif name in options and not _fits(options[name], kind.removesuffix("?")):
            yield f"options.{name} may not be {options[name]!r}"
    yield from (f"options.{name} is not in the schema" for name in options.keys() - schema.keys())


def _of_ingress(manifest: dict[str, Any]) -> Iterator[str]:
    port = manifest.get("ingress_port", 8099)
    if manifest.get("ingress") and f"{port}/tcp" in (manifest.get("ports") or {}):
        yield f"port {port} is ingress and open to the network"
    if manifest.get("watchdog"):
        watched = re.findall(r"PORT:([0-9]+)", str(manifest["watchdog"]))
        if watched and f"{watched[0]}/tcp" not in (manifest.get("ports") or {}):
            yield f"watchdog asks port {watched[0]}, which is not in ports"


def _fits(value: object, kind: str) -> bool:
    name, _, rest = kind.partition("(")
    if name == "list":
        return isinstance(value, str) and value in rest.removesuffix(")").split("|")
    if name in {"int", "float"}:
        wanted = (int,) if name == "int" else (int, float)
        if not isinstance(value, wanted) or isinstance(value, bool):
            return False
        low, _, high = rest.removesuffix(")").partition(",")
        return float(low or "-inf") <= value <= float(high or "inf")
    if name == "bool":
        return isinstance(value, bool)
    return isinstance(value, str)


def security_rating(manifest: dict[str, Any], folder: Path, *, signed: bool) -> int:
    """Return the rating, 1 to 8, by the formula of the Supervisor."""
    if manifest.get("full_access") or manifest.get("docker_api"):
        return 1
    rating = 5
    rating += 1 if (folder / "apparmor.txt").is_file() else 0
    rating += 2 if manifest.get("ingress") else int(bool(manifest.get("auth_api")))
    rating += int(signed)
    rating -= int(bool(manifest.get("host_network"))) + int(bool(manifest.get("privileged")))
    rating -= 2 * int(bool(manifest.get("host_pid")))
    return max(1, min(8, rating))
