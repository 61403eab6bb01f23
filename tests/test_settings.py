from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosyvoice_wyoming.address import StdioAddress, TcpAddress, UnixAddress, parse_address
from cosyvoice_wyoming.errors import BadOption
from cosyvoice_wyoming.settings import Settings, default_data_dir, load

NOWHERE = Path("/nonexistent/options.json")


def load_with(arguments=None, environ=None, app_options: Path = NOWHERE) -> Settings:
    return load(arguments or {}, environ=environ or {}, app_options=app_options)


def test_defaults_listen_on_every_address_at_the_usual_port():
    settings = load_with()
    assert settings == Settings()
    assert settings.uri == TcpAddress(host=None, port=10200)
    assert settings.model == "lite"
    assert settings.default_voices == ()


def test_later_sources_win(tmp_path):
    options = tmp_path / "options.json"
    options.write_text(json.dumps({"speed": 1.2, "threads": 2, "model": "lite-hq"}))
    environ = {
        "COSYVOICE_WYOMING_SPEED": "1.1",
        "COSYVOICE_WYOMING_THREADS": "1",
        "COSYVOICE_WYOMING_TRAIL_SILENCE_MS": "300",
    }
    settings = load_with({"speed": "1.3"}, environ, options)
    assert (settings.speed, settings.threads, settings.model) == (1.3, 2, "lite-hq")
    assert settings.trail_silence_ms == 300


def test_the_file_of_app_options_may_be_another(tmp_path):
    options = tmp_path / "mine.json"
    options.write_text('{"speed": 1.4}')
    environ = {"COSYVOICE_WYOMING_OPTIONS_FILE": str(options)}
    assert load({}, environ=environ).speed == 1.4


def test_empty_values_leave_the_default(tmp_path):
    options = tmp_path / "options.json"
    options.write_text(json.dumps({"advertise_host": "", "voice_zh": None}))
    environ = {"COSYVOICE_WYOMING_MODEL": ""}
    assert load_with({"data_dir": ""}, environ, options) == Settings()


def test_options_of_another_version_of_the_app_are_passed_over(tmp_path):
    options = tmp_path / "options.json"
    options.write_text(json.dumps({"from_the_future": 1, "speed": 0.9}))
    assert load_with(app_options=options).speed == 0.9


@pytest.mark.parametrize("content", ["[1]", "{", "\xff"])
def test_an_unreadable_options_file_is_named(tmp_path, content):
    options = tmp_path / "options.json"
    options.write_bytes(content.encode("latin-1"))
    with pytest.raises(BadOption, match=r"options\.json"):
        load_with(app_options=options)


def test_a_default_voice_counts_for_the_language_in_its_name():
    settings = load_with({"voice": ["zh_male_01", "yue_female_01"]})
    assert settings.default_voices == ("zh_male_01", "yue_female_01")
    settings = load_with(environ={"COSYVOICE_WYOMING_VOICE": "ja_male_01, ko_male_01"})
    assert (settings.voice_ja, settings.voice_ko) == ("ja_male_01", "ko_male_01")


WRONG: dict[str, list[object]] = {
    "uri": ["ftp://x", "unix://relative", "tcp://h:99999", "tcp://h:x", "tcp://h:1/path", "tcp://"],
    "model": ["../secret", "a b", "x" * 65, "-lite", "Lite/"],
    "voice": ["nobody", "zh_female_1", "de_female_01", 7],
    "voice_zh": ["en_female_01", "zh"],
    "speed": ["fast", "0.4", "2.01", "nan", "inf", "-1", True],
    "zeroconf": ["maybe", 2],
    "advertise_host": ["a b", "http://x", "x" * 254],
    "http": ["0.5", "unix:///x", "nothing at all"],
    "http_token": ["short", "x" * 257, "with\nnew lines and more"],
    "http_only_from": ["localhost", "1.2.3"],
    "pace": ["slow"],
    "log_level": ["loud"],
    "threads": ["-1", "1.5", "65", "٣", "9" * 5000],
    "sample_rate": ["8000", "CD"],
    "lead_silence_ms": ["1001"],
    "trail_silence_ms": ["long"],
    "max_text_chars": ["0"],
    "max_connections": ["0"],
}


@pytest.mark.parametrize(("name", "value"), [(n, v) for n, vs in WRONG.items() for v in vs])
def test_a_wrong_value_is_refused_in_one_sentence(name, value):
    with pytest.raises(BadOption) as caught:
        load_with({name: value})
    assert "\n" not in str(caught.value)


def test_a_wrong_value_is_named_as_its_writer_knows_it(tmp_path):
    options = tmp_path / "options.json"
    options.write_text('{"speed": 9}')
    with pytest.raises(BadOption, match=r"--speed must be a number from 0\.5 to 2, not '9'"):
        load_with({"speed": "9"})
    with pytest.raises(BadOption, match="COSYVOICE_WYOMING_SPEED must be"):
        load_with(environ={"COSYVOICE_WYOMING_SPEED": "9"})
    with pytest.raises(BadOption, match=r"'speed' in .*options\.json must be"):
        load_with(app_options=options)


def test_the_token_shows_nowhere():
    settings = load_with({"http_token": "a-secret-of-somebody"})
    assert "secret" not in repr(settings)
    with pytest.raises(BadOption) as caught:
        load_with({"http_token": "hunter2"})
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "address"),
    [
        ("8080", TcpAddress(port=8080)),
        (8080, TcpAddress(port=8080)),
        ("127.0.0.1:8080", TcpAddress(host="127.0.0.1", port=8080)),
        ("[::1]:80", TcpAddress(host="::1", port=80)),
    ],
)
def test_http_is_a_port_or_a_host_and_a_port(value, address):
    assert load_with({"http": value}).http == address


def test_a_misspelt_variable_is_refused():
    with pytest.raises(BadOption, match="COSYVOICE_WYOMING_SPED is not an option"):
        load_with(environ={"COSYVOICE_WYOMING_SPED": "1"})


@given(
    st.sampled_from(sorted(WRONG)), st.one_of(st.text(), st.integers(), st.floats(), st.booleans())
)
def test_any_value_gives_settings_or_a_sentence(name, value):
    try:
        settings = load_with({name: value})
    except BadOption:
        return
    assert 0.5 <= settings.speed <= 2.0
    assert dataclasses.is_dataclass(settings)


def test_the_data_folder_follows_xdg(monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", "/somewhere")
    assert default_data_dir() == Path("/somewhere/cosyvoice-wyoming")
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", "/home/somebody")
    assert default_data_dir() == Path("/home/somebody/.local/share/cosyvoice-wyoming")


@pytest.mark.parametrize(
    ("uri", "address"),
    [
        ("tcp://:10200", TcpAddress()),
        ("tcp://*:10200", TcpAddress()),
        ("tcp://0.0.0.0:1", TcpAddress(host="0.0.0.0", port=1)),
        ("tcp://[::1]:0", TcpAddress(host="::1", port=0)),
        ("tcp://speaker.local", TcpAddress(host="speaker.local", port=10200)),
        ("192.168.1.2:10300", TcpAddress(host="192.168.1.2", port=10300)),
        ("unix:///run/tts.sock", UnixAddress(path=Path("/run/tts.sock"))),
        ("stdio://", StdioAddress()),
    ],
)
def test_addresses_are_read_and_written_back(uri, address):
    assert parse_address(uri) == address
    assert parse_address(str(address)) == address


@pytest.mark.parametrize("host", [None, "0.0.0.0", "::"])
def test_a_client_of_a_server_on_every_address_goes_to_this_machine(host):
    assert TcpAddress(host=host).client_host == "localhost"
