from __future__ import annotations

import asyncio
import base64
import io
import json
import shutil
import wave
from collections.abc import Iterator

import httpx
import numpy as np
import pytest

from cosyvoice_wyoming.engine import Unhurried, Waveform
from cosyvoice_wyoming.errors import EngineFailed
from cosyvoice_wyoming.http.formats import FORMATS
from cosyvoice_wyoming.speech import Studio
from cosyvoice_wyoming.text.spoken import Spoken
from cosyvoice_wyoming.voices import STANDARD_VOICES, Voice, VoiceCatalog
from tests.http.serving import Running, running

JSON = {"Content-Type": "application/json"}


@pytest.fixture
async def server(tmp_path):
    async with running(tmp_path) as server:
        yield server


def length(wav: bytes) -> float:
    """Return the seconds of a WAV file that was streamed, so without a length in its header."""
    with wave.open(io.BytesIO(wav)) as file:
        assert (file.getnchannels(), file.getsampwidth()) == (1, 2)
        return (len(wav) - 44) / 2 / int(file.getframerate())


async def test_tts_answers_json_with_a_whole_wav_file(server: Running):
    answer = await server.tts(text="你好。", speaker="zh_female_01")
    assert answer.status_code == 200
    wav = base64.b64decode(answer.json()["audio"])
    with wave.open(io.BytesIO(wav)) as file:
        assert file.getnframes() == (len(wav) - 44) // 2
    assert answer.json()["duration"] == pytest.approx(length(wav), abs=0.001)


async def test_tts_streams_the_file_to_those_who_want_it(server: Running):
    answer = await server.tts("audio/wav", text="Hello.", speaker="en_male_01")
    assert answer.headers["content-type"] == "audio/wav"
    assert length(answer.content) > 0.2


async def test_both_ways_carry_the_same_sound(server: Running):
    as_json = await server.tts(text="Hello there.")
    as_file = await server.tts("audio/wav", text="Hello there.")
    assert base64.b64decode(as_json.json()["audio"])[44:] == as_file.content[44:]


async def test_audio_arrives_before_the_last_word_is_spoken(server: Running):
    text = "This sentence is spoken again and again. " * 100
    async with server.http.stream(
        "POST", "/tts", json={"text": text}, headers={"Accept": "audio/wav"}
    ) as answer:
        first = await anext(answer.aiter_bytes())
        assert first.startswith(b"RIFF")
        assert server.server.worker.lanes == 1


async def test_a_client_that_leaves_is_not_spoken_to(server: Running):
    text = "This sentence is spoken again and again. " * 400
    async with server.http.stream(
        "POST", "/tts", json={"text": text}, headers={"Accept": "audio/wav"}
    ) as answer:
        await anext(answer.aiter_bytes())
    async with asyncio.timeout(20):
        while server.server.worker.lanes:
            await asyncio.sleep(0.05)


async def test_speed_is_honoured(server: Running):
    slow = await server.tts("audio/wav", text="One two three.", speed=0.5)
    fast = await server.tts("audio/wav", text="One two three.", speed=2.0)
    assert length(slow.content) > 1.5 * length(fast.content)


async def test_cosyvoices_own_speakers_are_known(server: Running):
    theirs = await server.tts(text="你好。", speaker="中文男")
    ours = await server.tts(text="你好。", speaker="zh_male_01")
    assert theirs.json() == ours.json()


async def test_the_language_of_the_text_decides_who_speaks(server: Running):
    await server.tts(text="Good morning.")
    await server.tts(text="おはようございます。")
    await server.tts(text="1 2 3", language="ko-KR")
    voices = [answer.voice for answer in server.server.house.journal.latest]
    assert voices == ["en_female_01", "ja_female_01", "ko_female_01"]


@pytest.mark.parametrize("characters", [300, 5000])
async def test_long_texts_are_spoken_whole(server: Running, characters):
    answer = await server.tts("audio/wav", text=("今天天气很好。" * 1000)[:characters])
    assert answer.status_code == 200
    assert length(answer.content) > characters / 10


class Breaking(Unhurried):
    """An engine that breaks at the word `second`, however often it is tried."""

    sample_rate = 24_000
    overlaps = False
    voices: tuple[Voice, ...] = STANDARD_VOICES

    def speaker(self, voice: Voice, *, speed: float, seed: int = 0) -> Breaking:
        return self

    def speak(self, spoken: Spoken) -> Iterator[Waveform]:
        if "second" in spoken.text:
            raise EngineFailed("the engine failed here")
        yield np.full(24_000, 0.5, np.float32)

    def close(self) -> None:
        pass


TWO_SEGMENTS = "This is the first sentence. This is the second sentence of the text."


def load_breaking() -> Studio:
    return Studio(engine=Breaking(), catalog=VoiceCatalog(STANDARD_VOICES))


async def test_speech_that_breaks_off_is_not_taken_for_complete(tmp_path):
    async with running(tmp_path, load=load_breaking) as server:
        with pytest.raises(httpx.RemoteProtocolError):
            await server.tts("audio/wav", text=TWO_SEGMENTS)


async def test_speech_that_breaks_off_is_a_problem_in_json(tmp_path, caplog):
    async with running(tmp_path, load=load_breaking) as server:
        answer = await server.tts(text=TWO_SEGMENTS)
        assert answer.status_code == 500
        assert "the engine failed" in answer.json()["detail"]
    assert "Traceback" not in caplog.text


async def test_five_at_once_are_all_spoken(server: Running):
    texts = ["你好。", "Hello.", "こんにちは。", "안녕하세요.", "早晨呀。"]
    answers = await asyncio.gather(*(server.tts(text=text) for text in texts))
    assert [answer.status_code for answer in answers] == [200] * 5


async def test_text_without_words_is_a_short_silence(server: Running):
    answer = await server.tts(text="😊")
    assert answer.json()["duration"] == pytest.approx(0.1)


BAD: list[tuple[str, bytes, int, str]] = [
    ("no JSON", b"{", 400, "not valid JSON"),
    ("not an object", b"[]", 422, "dictionary"),
    ("no text", b"{}", 422, "text: Field required"),
    ("empty text", b'{"text": " \\n"}', 422, "there is nothing to say"),
    ("text of another type", b'{"text": 7}', 422, "text: "),
    ("unknown speaker", b'{"text": "a", "speaker": "nobody"}', 422, "no speaker 'nobody'"),
    ("speed 9", b'{"text": "a", "speed": 9}', 422, "speed: "),
    ("speed NaN", b'{"text": "a", "speed": NaN}', 422, "speed: "),
    ("unknown language", b'{"text": "a", "language": "tlh"}', 422, "'tlh' is no language here"),
    ("unknown field", b'{"text": "a", "emotion": "sad"}', 422, "emotion: "),
    ("path for a speaker", b'{"text": "a", "speaker": "../../etc/passwd"}', 422, "no speaker"),
    ("too long", json.dumps({"text": "a" * 20_001}).encode(), 413, "over 20000 characters"),
    ("too big", b'{"text": "' + b"a" * 10_000_000 + b'"}', 413, "over 256 kB"),
]


@pytest.mark.parametrize(
    ("body", "status", "sentence"), [bad[1:] for bad in BAD], ids=[bad[0] for bad in BAD]
)
async def test_bad_input_is_told_in_one_sentence(server: Running, body, status, sentence):
    answer = await server.http.post("/tts", content=body, headers=JSON)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == status
    assert sentence in answer.json()["detail"]
    assert "\n" not in answer.json()["detail"]


async def test_a_body_of_unknown_length_is_bounded_too(server: Running):
    async def endless():
        for _ in range(1000):
            yield b"x" * 10_000

    answer = await server.http.post("/tts", content=endless(), headers=JSON)
    assert answer.status_code == 413


@pytest.mark.parametrize("text", ["a\x00b", "\u202eabc", "\u200fabc", "x" * 5000, "\u1112\u1161"])
async def test_odd_text_is_spoken_or_silent(server: Running, text):
    assert (await server.tts(text=text)).status_code == 200


async def test_a_lone_surrogate_does_no_harm(server: Running):
    answer = await server.http.post("/tts", content=b'{"text": "a\\ud800b"}', headers=JSON)
    assert answer.status_code in {200, 422}


MAGIC = {"wav": b"RIFF", "flac": b"fLaC", "opus": b"OggS"}


@pytest.mark.parametrize("name", FORMATS)
async def test_openais_formats(server: Running, name):
    if not FORMATS[name].available:
        pytest.skip("ffmpeg is not installed")
    body = {"model": "tts-1", "input": "Hello.", "voice": "alloy", "response_format": name}
    answer = await server.http.post("/v1/audio/speech", json=body)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == FORMATS[name].media_type
    assert len(answer.content) > 1000
    assert answer.content.startswith(MAGIC.get(name, b""))


@pytest.mark.skipif(not shutil.which("ffprobe"), reason="ffmpeg is not installed")
async def test_mp3_is_as_long_as_the_wav(server: Running, tmp_path):
    body = {"input": "Hello there, how are you?", "voice": "en_female_01"}
    answers = [
        await server.http.post("/v1/audio/speech", json=body | {"response_format": form})
        for form in ("mp3", "wav")
    ]
    (tmp_path / "x.mp3").write_bytes(answers[0].content)
    probe = ["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0"]
    process = await asyncio.create_subprocess_exec(
        *probe, tmp_path / "x.mp3", stdout=asyncio.subprocess.PIPE
    )
    seconds, _ = await process.communicate()
    assert float(seconds) == pytest.approx(length(answers[1].content), abs=0.15)


async def test_openais_defaults_speak(server: Running):
    answer = await server.http.post("/v1/audio/speech", json={"input": "Hello."})
    assert answer.status_code == 200
    assert answer.headers["content-type"] in {"audio/mpeg", "audio/wav"}


async def test_a_missing_ffmpeg_is_told(server: Running, monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    body = {"input": "Hello.", "response_format": "mp3"}
    answer = await server.http.post("/v1/audio/speech", json=body)
    assert answer.status_code == 422
    assert "needs ffmpeg" in answer.json()["detail"]
    body = {"input": "Hello."}
    answer = await server.http.post("/v1/audio/speech", json=body)
    assert answer.headers["content-type"] == "audio/wav"


async def test_an_unknown_format_is_told(server: Running):
    body = {"input": "Hello.", "response_format": "vinyl"}
    answer = await server.http.post("/v1/audio/speech", json=body)
    assert answer.status_code == 422
    assert "no format 'vinyl'" in answer.json()["detail"]
