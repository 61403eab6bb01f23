from __future__ import annotations

import numpy as np
import pytest

from tests.tools import distil

lessons = distil("lessons")
FRAMES = 150


@pytest.fixture
def utterance():
    draw = np.random.default_rng(0)
    return lessons.Utterance(
        voice="zh_female_01",
        acoustic=draw.normal(size=(512, FRAMES)).astype(np.float16),
        f0=np.full(2 * FRAMES, 200, np.float32),
        prosody=draw.normal(size=(4, 2 * FRAMES)).astype(np.float32),
        style=np.zeros(128, np.float32),
        pulses=np.zeros(FRAMES * lessons.FRAME, np.float16),
        breath=np.ones(FRAMES * lessons.FRAME, np.float16),
        audio=np.repeat(np.arange(FRAMES, dtype=np.int16), lessons.FRAME),
    )


def heard_frames(crop):
    return np.flatnonzero(crop.heard[:: lessons.FRAME])


def test_every_part_of_a_crop_begins_at_the_same_moment(utterance):
    crop = lessons.crop(utterance, 40)
    assert np.array_equal(crop.acoustic[:, 0], utterance.acoustic[:, 40].astype(np.float32))
    assert np.array_equal(crop.prosody[:, 0], utterance.prosody[:, 80])
    assert crop.audio[0] * 32767 == pytest.approx(40)


def test_the_loss_hears_no_context_in_the_middle(utterance):
    heard = heard_frames(lessons.crop(utterance, 40))
    assert heard[0] == lessons.MARGIN
    assert heard[-1] == lessons.CROP - lessons.MARGIN - 1


def test_the_loss_hears_the_true_ends(utterance):
    assert heard_frames(lessons.crop(utterance, 0))[0] == 0
    last = FRAMES - lessons.CROP
    assert heard_frames(lessons.crop(utterance, last))[-1] == lessons.CROP - 1


def test_a_short_utterance_is_padded_and_the_padding_is_not_heard(utterance):
    crop = lessons.crop(utterance, FRAMES - 10)
    assert crop.acoustic.shape == (512, lessons.CROP)
    assert heard_frames(crop)[-1] == 9
    assert not crop.audio[10 * lessons.FRAME :].any()


def test_held_out_lessons_are_never_drawn(tmp_path):
    folder = tmp_path / "zh_female_01"
    folder.mkdir()
    for index in (0, 1):
        np.savez(
            folder / f"{index:05d}.npz",
            acoustic=np.full((512, FRAMES), index, np.float16),
            f0=np.full(2 * FRAMES, 200, np.float32),
            energy=np.zeros(2 * FRAMES, np.float32),
            style=np.zeros(128, np.float32),
            audio=np.zeros(FRAMES * lessons.FRAME, np.int16),
            voice="zh_female_01",
        )
    data = lessons.Lessons(tmp_path, seed=0)
    assert len(data.validation) == 1
    assert (data.batch(20).acoustic == 1).all()
