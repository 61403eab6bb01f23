"""The loop that turns a prompt into speech tokens, and what keeps it from running away."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cosyvoice_wyoming.engine.cosyvoice.draws import Draws
from cosyvoice_wyoming.engine.cosyvoice.sampling import Sampling, log_softmax, sample
from cosyvoice_wyoming.engine.cosyvoice.speech_lm import SpeechLm

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How many tokens an utterance may have, and how many equal ones in a row.

    25 equal tokens are half a second of one sound, which no language has: the model is stuck
    (FunAudioLLM/CosyVoice issue 1420), and the utterance ends there. 0 switches that off.
    """

    minimum: int
    maximum: int
    equal_run: int = 25

    @classmethod
    def of_text(cls, ids: int, *, minimum: float = 2, maximum: float = 20) -> Limits:
        """Return the official limits for a text of `ids` ids, its tag included."""
        return cls(minimum=int(ids * minimum), maximum=int(ids * maximum))


def generate(
    lm: SpeechLm,
    prompt: NDArray[np.float32],
    limits: Limits,
    draws: Draws,
    sampling: Sampling | None = None,
) -> Iterator[int]:
    """Yield speech tokens until the model ends the utterance or a limit does.

    One `next` is one step of the model. `prompt` is [n, d].
    """
    sampling = sampling or Sampling()
    past, logits = lm.start(prompt)
    history: list[int] = []
    end = len(logits) - 1
    while len(history) < limits.maximum:
        scores = log_softmax(logits)
        if len(history) < limits.minimum:
            scores[end] = -np.inf
        token = sample(scores, history, draws.fraction, sampling)
        if token == end:
            return
        history.append(token)
        yield token
        if limits.equal_run and history[-limits.equal_run :] == [token] * limits.equal_run:
            _LOGGER.warning("The speech model repeated one token %d times", limits.equal_run)
            return
        if len(history) < limits.maximum:
            logits = lm.step(past, token)
    _LOGGER.debug("reached the limit of %d tokens", limits.maximum)
