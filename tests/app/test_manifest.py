"""The app's files agree with one another, with the settings and with the Supervisor's rules."""

from __future__ import annotations

import copy
import dataclasses
import json
import os
import re
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from cosyvoice_wyoming import __version__
from cosyvoice_wyoming.bundles.sources import recipes
from cosyvoice_wyoming.settings import Settings, load
from cosyvoice_wyoming.voices import STANDARD_VOICES
from tests.support.app_manifest import problems, security_rating

ROOT = Path(__file__).parents[2]
LANGUAGES = ["en", "ja", "ko", "zh-Hans", "zh-Hant"]
ROOTFS = ROOT / "addon" / "rootfs"


def read(path: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((ROOT / path).read_text("utf-8"))
    return content


MANIFEST = read("config.yaml")


def test_the_manifest_keeps_the_rules():
    assert problems(MANIFEST) == []


def test_it_speaks_to_the_home_assistant_that_streams():
    assert MANIFEST["slug"] == "cosyvoice_wyoming"
    assert MANIFEST["homeassistant"] == "2025.8.0"
    assert set(MANIFEST["arch"]) == {"aarch64", "amd64"}
    assert MANIFEST["discovery"] == ["wyoming"]


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"arch": ["armv7"]}, "arch may not be"),
    ({"arch": []}, "arch may not be"),
    ({"slug": "with space"}, "slug may not be"),
    ({"map": ["everything"]}, "map may not be"),
    ({"map": [{"type": "nothing"}]}, "map may not be"),
    ({"ports": {"10200": None}}, "ports may not be"),
    ({"ports": {"10200/tcp": 99999}}, "ports may not be"),
    ({"ports": {"10200/tcp": None, "8099/tcp": None}}, "port 8099 is ingress and open"),
    ({"ports": {"1/tcp": None}}, "watchdog asks port 10200"),
    ({"ingress_port": "8099"}, "ingress_port may not be"),
    ({"watchdog": "http://localhost"}, "watchdog may not be"),
    ({"schema": MANIFEST["schema"] | {"speed": "number"}}, "schema.speed is not a type"),
    ({"options": MANIFEST["options"] | {"speed": 3}}, "options.speed may not be 3"),
    ({"options": MANIFEST["options"] | {"threads": True}}, "options.threads may not be True"),
    ({"options": MANIFEST["options"] | {"model": "huge"}}, "options.model may not be 'huge'"),
    ({"options": MANIFEST["options"] | {"more": 1}}, "options.more is not in the schema"),
    ({"options": {}}, "options.speed has no value"),
    ({"timeout": 5}, "timeout may not be 5"),
    ({"stage": "alpha"}, "stage may not be"),
    ({"version": ""}, "version may not be"),
    ({"homeassistant": "latest"}, "homeassistant may not be"),
    ({"ingres": True}, "ingres is not a key"),
]


@pytest.mark.parametrize(("change", "fault"), WRONG, ids=[fault for _, fault in WRONG])
def test_a_wrong_manifest_is_found_out(change, fault):
    assert any(problem.startswith(fault) for problem in problems(MANIFEST | change))


@pytest.mark.parametrize("key", ["name", "version", "slug", "description", "arch"])
def test_a_manifest_without_a_needed_key_is_found_out(key):
    manifest = copy.deepcopy(MANIFEST)
    del manifest[key]
    assert f"{key} is missing" in problems(manifest)


def test_the_security_rating_is_the_best_there_is():
    assert security_rating(MANIFEST, ROOT, signed=False) == 8


@pytest.mark.parametrize(
    ("change", "rating"),
    [({"host_network": True}, 7), ({"ingress": False}, 6), ({"full_access": True}, 1)],
)
def test_the_security_rating_falls_with_what_is_asked_for(change, rating):
    assert security_rating(MANIFEST | change, ROOT, signed=False) == rating


def test_every_option_is_a_setting_and_its_default_is_valid(tmp_path):
    fields = {field.name for field in dataclasses.fields(Settings)}
    assert MANIFEST["options"].keys() <= fields
    options = tmp_path / "options.json"
    options.write_text(json.dumps(MANIFEST["options"]))
    settings = load({}, environ={}, app_options=options)
    assert settings.default_voices == tuple(
        f"{language}_female_01" for language in ("zh", "en", "ja", "ko", "yue")
    )
    defaults = Settings(data_dir=settings.data_dir)
    for name in MANIFEST["options"].keys() - {f"voice_{v.language}" for v in STANDARD_VOICES}:
        assert getattr(settings, name) == getattr(defaults, name), name


def choices(option: str) -> list[str]:
    found = re.fullmatch(r"list\((.+)\)", MANIFEST["schema"][option])
    assert found
    return found[1].split("|")


@pytest.mark.parametrize("language", ["zh", "en", "ja", "ko", "yue"])
def test_the_voices_to_choose_from_are_those_there_are(language):
    wanted = [voice.name for voice in STANDARD_VOICES if voice.language == language]
    assert choices(f"voice_{language}") == wanted


def test_the_models_to_choose_from_are_those_there_are():
    assert choices("model") == ["auto", *recipes()]


def test_the_ranges_are_those_of_the_settings(tmp_path):
    options = tmp_path / "options.json"
    for option, kind in MANIFEST["schema"].items():
        if not (found := re.fullmatch(r"(?:int|float)\((.+),(.+)\)", kind)):
            continue
        for edge in found.groups():
            options.write_text(json.dumps({option: float(edge) if "." in edge else int(edge)}))
            load({}, environ={}, app_options=options)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_names_every_option_and_port(language):
    words = read(f"translations/{language}.yaml")
    assert words["configuration"].keys() == MANIFEST["schema"].keys()
    assert words["network"].keys() == MANIFEST["ports"].keys()
    for option in words["configuration"].values():
        assert option.keys() == {"name", "description"}
        assert all(option.values())


def test_there_is_no_other_language_file():
    found = sorted(path.stem for path in (ROOT / "translations").iterdir())
    assert found == LANGUAGES


def test_the_documentation_names_every_option():
    docs = (ROOT / "DOCS.md").read_text("utf-8")
    missing = [option for option in MANIFEST["options"] if f"`{option}`" not in docs]
    assert not missing


def test_one_version_everywhere():
    assert MANIFEST["version"] == __version__
    assert f"\n## {__version__}\n" in (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert f"ARG BUILD_VERSION={__version__}\n" in (ROOT / "Dockerfile").read_text("utf-8")


@pytest.mark.parametrize("name", ["ci.yaml", "image.yaml"])
def test_the_workflows_run_on_both_kinds_of_machine(name):
    jobs = read(f".github/workflows/{name}")["jobs"]
    assert "ubuntu-24.04-arm" in json.dumps(jobs)
    assert all(job["steps"] for job in jobs.values())


def test_the_supervisor_finds_one_app():
    hidden = {".venv", ".git", "data", "rootfs", "node_modules"}
    found = [
        path.relative_to(ROOT)
        for path in ROOT.rglob("config.*")
        if path.suffix in {".yaml", ".yml", ".json"} and not hidden & set(path.parts)
    ]
    assert [str(path) for path in found if not path.parts[0].startswith(".")] == ["config.yaml"]
    assert read("repository.yaml")["name"]


@pytest.mark.parametrize(("name", "size"), [("icon.png", (128, 128)), ("logo.png", (250, 100))])
def test_the_pictures_have_their_size(name, size):
    header = (ROOT / name).read_bytes()[:24]
    assert header.startswith(b"\x89PNG")
    assert struct.unpack(">II", header[16:24]) == size


def test_apparmor_names_the_app():
    profile = (ROOT / "apparmor.txt").read_text("utf-8")
    assert f"profile {MANIFEST['slug']} " in profile
    assert profile.count("{") == profile.count("}")


SERVICES = ROOTFS / "etc" / "s6-overlay" / "s6-rc.d"


def test_the_services_are_complete():
    assert (SERVICES / "cosyvoice-wyoming" / "type").read_text().strip() == "longrun"
    assert (SERVICES / "discovery" / "type").read_text().strip() == "oneshot"
    up = (SERVICES / "discovery" / "up").read_text().strip()
    assert (ROOTFS / up.lstrip("/")).is_file()
    started = {path.name for path in (SERVICES / "user" / "contents.d").iterdir()}
    assert started == {"cosyvoice-wyoming", "discovery"}
    assert (SERVICES / "discovery" / "dependencies.d" / "cosyvoice-wyoming").exists()


def test_the_services_can_be_run():
    scripts = [*SERVICES.glob("*/run"), *SERVICES.glob("*/finish"), *ROOTFS.glob("usr/local/bin/*")]
    assert len(scripts) == 4
    for script in scripts:
        assert os.access(script, os.X_OK), script
        subprocess.run(["bash", "-n", script], check=True)


def test_the_image_does_what_the_manifest_says():
    image = (ROOT / "Dockerfile").read_text("utf-8")
    app = (ROOTFS / "usr/local/bin/cosyvoice-wyoming-app").read_text("utf-8")
    assert "HEALTHCHECK" in image
    assert 'io.hass.type="app"' in image
    assert f"COSYVOICE_WYOMING_HTTP:-{MANIFEST['ingress_port']}" in app
    assert "172.30.32.2" in app
    assert "COSYVOICE_WYOMING_ZEROCONF=false" in app
