from __future__ import annotations

import re

import pytest

from cosyvoice_wyoming import __version__
from cosyvoice_wyoming.errors import ModelMissing
from cosyvoice_wyoming.voices import STANDARD_VOICES
from tests.http.serving import Running, running


@pytest.fixture
async def server(tmp_path):
    async with running(tmp_path) as server:
        await server.tts(text="Hello.")  # after which the model is loaded
        yield server


async def test_health_is_ready_when_the_model_is_loaded(server: Running):
    answer = await server.http.get("/health")
    assert answer.status_code == 200
    assert answer.json() == {"status": "ready", "reason": ""}


async def test_health_says_why_it_is_not_ready(tmp_path):
    async with running(tmp_path) as server:
        await server.tts(text="Hello.")
        server.server.studio = None
        answer = await server.http.get("/health")
        assert answer.status_code == 503
        assert answer.json() == {"status": "loading", "reason": "the model is being loaded"}


async def test_voices_are_those_of_the_model(server: Running):
    voices = (await server.http.get("/v1/audio/voices")).json()["voices"]
    assert [voice["id"] for voice in voices] == [voice.name for voice in STANDARD_VOICES]
    assert {voice["id"] for voice in voices if voice["experimental"]} == {
        *("ko_female_01", "ko_male_01", "yue_female_01", "yue_male_01"),
    }


async def test_models_are_listed_as_openais_clients_read_them(server: Running):
    models = (await server.http.get("/v1/models")).json()
    assert models["object"] == "list"
    lite = next(model for model in models["data"] if model["id"] == "lite")
    assert (lite["object"], lite["state"], lite["in_use"]) == ("model", "absent", False)


async def test_metrics_can_be_read_by_prometheus(server: Running):
    answer = await server.http.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    sample = re.compile(r'cosyvoice_wyoming_[a-z_]+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? [0-9.e+-]+')
    lines = answer.text.splitlines()
    samples = [line for line in lines if not line.startswith("#")]
    assert samples
    assert all(sample.fullmatch(line) for line in samples)
    assert 'cosyvoice_wyoming_answers_total{voice="en_female_01"} 1' in samples
    assert "cosyvoice_wyoming_ready 1" in samples
    series = [line.rpartition(" ")[0] for line in samples]
    assert len(series) == len(set(series))


async def test_metrics_count_failures(server: Running):
    await server.tts(text="a" * 20_001)
    await server.tts(text="Hello again.")
    answers = server.server.house.journal.answers
    assert answers.total() == 2


async def test_status_is_what_the_page_shows(server: Running):
    status = (await server.http.get("/api/status")).json()
    assert status["version"] == __version__
    assert status["model"] == "tone"
    assert status["answers"] == 1
    assert status["memory_bytes"] > 10_000_000
    assert status["first_audio"] > 0
    assert status["installation"] is None


async def test_phrases_can_be_forgotten(server: Running):
    await server.tts(text="Hello.")
    assert (await server.http.get("/api/status")).json()["phrase_bytes"] > 0
    assert (await server.http.delete("/api/phrases")).status_code == 204
    assert (await server.http.get("/api/status")).json()["phrase_bytes"] == 0


async def test_explain_shows_how_a_text_is_read(server: Running):
    body = {"text": "客厅现在 26℃。The TV is on."}
    rows = (await server.http.post("/api/explain", json=body)).json()
    assert "".join(row["text"] for row in rows).strip() == body["text"]
    assert rows[0]["language"] == "zh"
    assert "二十六" in rows[0]["words"]
    assert rows[0]["phonemes"]


async def test_explain_refuses_a_book(server: Running):
    answer = await server.http.post("/api/explain", json={"text": "a" * 2001})
    assert answer.status_code == 413


async def test_installing_tells_what_went_wrong(server: Running, monkeypatch):
    answer = await server.http.post("/api/models/nobody/install")
    assert answer.status_code == 422
    assert "no model 'nobody'" in answer.json()["detail"]


async def test_a_model_that_is_not_there_cannot_be_used(server: Running):
    answer = await server.http.post("/api/models/lite/use")
    assert answer.status_code == 422
    assert "install it first" in answer.json()["detail"]
    assert server.switched == []


async def test_a_loading_failure_is_the_reason_of_health(tmp_path):
    async with running(tmp_path) as server:
        await server.tts(text="Hello.")
        server.server.studio = None
        server.server.worker._failure = ModelMissing("the model is gone")
        assert (await server.http.get("/health")).json()["reason"] == "the model is gone"


async def test_a_path_that_is_not_there_is_a_problem(server: Running):
    answer = await server.http.get("/nothing")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


async def test_a_wrong_method_is_a_problem(server: Running):
    answer = await server.http.get("/tts")
    assert answer.status_code == 405
    assert answer.headers["allow"] == "POST"


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static//etc/passwd"]
)
async def test_paths_lead_nowhere_else(server: Running, path):
    answer = await server.http.get(path)
    assert answer.status_code == 404


async def test_the_page_holds_under_a_prefix(server: Running):
    plain = await server.http.get("/")
    assert '<base href="./">' in plain.text
    headers = {"X-Ingress-Path": "/api/hassio_ingress/AbC-_1"}
    behind = await server.http.get("/", headers=headers)
    assert '<base href="/api/hassio_ingress/AbC-_1/">' in behind.text


@pytest.mark.parametrize("prefix", ['/"><script>', "//evil.example", "javascript:x", "/a b"])
async def test_a_strange_prefix_is_not_written_into_the_page(server: Running, prefix):
    answer = await server.http.get("/", headers={"X-Ingress-Path": prefix})
    assert prefix not in answer.text


async def test_the_page_loads_nothing_from_elsewhere(server: Running):
    for path in ("/", "/docs"):
        answer = await server.http.get(path)
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert "://" not in answer.text
