from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Sequence

import numpy as np
import pytest

from cosyvoice_wyoming.audio import Pcm
from cosyvoice_wyoming.engine.tone import ToneEngine
from cosyvoice_wyoming.errors import EngineFailed, TextTooLong
from cosyvoice_wyoming.pace import Measure, Pace
from cosyvoice_wyoming.speech import Manner, Narration, Request, Studio, TextFeed, speak
from cosyvoice_wyoming.text.dictionary import DictionaryFile
from cosyvoice_wyoming.text.spoken import Segment
from cosyvoice_wyoming.voices import VoiceCatalog, VoiceWish
from cosyvoice_wyoming.worker import Worker
from tests.support.serving import until

LIMIT = 10_000


@contextlib.asynccontextmanager
async def studio_worker(engine: ToneEngine | None = None):
    engine = engine or ToneEngine()
    worker = Worker(lambda: Studio(engine=engine, catalog=VoiceCatalog(engine.voices)))
    worker.start()
    try:
        yield worker
    finally:
        await worker.close()


def fed(pieces: Sequence[str]) -> TextFeed:
    text = TextFeed(LIMIT)
    for piece in pieces:
        text.put(piece)
    text.close()
    return text


async def spoken(
    *pieces: str, manner: Manner | None = None, engine: ToneEngine | None = None, **wish: str
) -> Pcm:
    async with studio_worker(engine) as worker:
        request = Request(text=fed(pieces), wish=VoiceWish(**wish))
        heard = [pcm async for pcm in speak(request, worker, manner or Manner())]
    assert len({pcm.rate for pcm in heard}) == 1
    return Pcm(data=b"".join(pcm.data for pcm in heard), rate=heard[0].rate)


async def test_every_segment_is_spoken_once_and_in_order():
    engine = ToneEngine()
    await spoken("客厅的灯已经打开了，", "空调也调到了最低。", "还需要别的吗？", engine=engine)
    assert "".join(engine.spoken) == "客厅的灯已经打开了，空调也调到了最低。还需要别的吗？"


async def test_text_without_words_is_a_tenth_of_a_second_of_silence():
    pcm = await spoken("…… 👍", manner=Manner(lead_silence=1, trail_silence=1))
    assert pcm.data == bytes(2 * 2400)


async def test_speed_shortens_speech_and_pauses():
    text = "今天天气很好。我们出去走走吧。"
    usual = await spoken(text, manner=Manner(trail_silence=0))
    fast = await spoken(text, manner=Manner(speed=2, trail_silence=0))
    assert fast.seconds == pytest.approx(usual.seconds / 2, rel=0.1)


async def test_silence_before_and_after_is_as_the_settings_ask():
    text = "今天天气很好。"
    bare = await spoken(text, manner=Manner(trail_silence=0))
    padded = await spoken(text, manner=Manner(lead_silence=0.5, trail_silence=0.25))
    assert padded.data == bytes(2 * 12_000) + bare.data + bytes(2 * 6_000)


async def test_segments_are_parted_by_the_pause_of_their_punctuation():
    pcm = await spoken("今天天气很好。我们出去走走吧。", manner=Manner(trail_silence=0))
    heard = np.abs(np.frombuffer(pcm.data, "<i2").astype(int)) > 100
    edges = np.flatnonzero(np.diff(heard[np.flatnonzero(heard)[0] :].astype(int)) == -1)
    gaps = np.diff(np.flatnonzero(heard))
    assert len(edges)
    assert 0.1 < gaps.max() / pcm.rate < 1.0


async def test_joins_do_not_click():
    pcm = await spoken("今天天气很好。我们出去走走吧。带上一把伞。")
    steps = np.abs(np.diff(np.frombuffer(pcm.data, "<i2").astype(int)))
    of_the_tone = 0.3 * 32767 * 2 * np.pi * 220 / pcm.rate
    assert steps.max() < 1.1 * of_the_tone


@pytest.mark.parametrize("rate", [16_000, 22_050])
async def test_another_sample_rate_keeps_the_length(rate):
    usual = await spoken("今天天气很好。")
    other = await spoken("今天天气很好。", manner=Manner(sample_rate=rate))
    assert other.rate == rate
    assert other.seconds == pytest.approx(usual.seconds, abs=0.02)


async def test_the_users_dictionary_is_read_anew_when_it_changes(tmp_path):
    engine, file = ToneEngine(), tmp_path / "dictionary.txt"
    studio = Studio(
        engine=engine, catalog=VoiceCatalog(engine.voices), dictionary=DictionaryFile(file)
    )
    narration = Narration(VoiceWish(), Manner())
    for line in ("# nothing yet", "小爱 → 小艾同学"):
        file.write_text(line, encoding="utf-8")
        list(narration.say(Segment(text="小爱你好。"), studio))
    assert engine.spoken == ["小爱你好。", "小艾同学你好。"]


async def test_a_failing_engine_fails_the_request():
    with pytest.raises(EngineFailed):
        await spoken("BOOM.", engine=ToneEngine(fails_at="BOOM"))


async def test_leaving_in_the_middle_leaves_no_task():
    async with studio_worker(ToneEngine(step_delay=0.01)) as worker:
        before = asyncio.all_tasks()
        text = TextFeed(LIMIT)
        text.put("今天天气很好，我们出去走走吧。")
        audio = speak(Request(text=text), worker, Manner())
        await anext(audio)
        await audio.aclose()
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == before


def test_text_over_the_limit_is_refused_in_one_or_many():
    with pytest.raises(TextTooLong):
        fed(["x" * (LIMIT + 1)])
    with pytest.raises(TextTooLong):
        fed(["x"] * (LIMIT + 1))
    assert fed(["x" * LIMIT]).characters == LIMIT


async def test_the_log_has_one_line_and_never_the_text(caplog):
    caplog.set_level(logging.INFO)
    await spoken("今天天气很好。", "Secret.", name="zh_male_01")
    [line] = [record.getMessage() for record in caplog.records]
    assert "14 characters" in line
    assert "zh_male_01" in line
    assert "RTF" in line
    assert "天气" not in line
    assert "Secret" not in line


async def test_a_machine_that_cannot_keep_up_has_enough_made_before_the_first_sound():
    engine, pace = ToneEngine(), Pace()
    pace.note("zh_female_01", Measure(audio=2.0, busy=8.0, characters=10))
    studio = Studio(engine=engine, catalog=VoiceCatalog(engine.voices), pace=pace)
    worker = Worker(lambda: studio)
    worker.start()
    try:
        await until(lambda: worker.loaded)
        text = "今天天气很好我们出去走走。" * 3
        audio = speak(Request(text=fed([text])), worker, Manner())
        await anext(audio)
        assert engine.steps * 0.25 >= pace.held("zh_female_01", len(text)) - 1
        assert engine.steps * 0.25 > 4
        await audio.aclose()
    finally:
        await worker.close()
