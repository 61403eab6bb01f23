"""What the server says of itself to `describe`.

Home Assistant asks every 30 seconds and rebuilds its list of voices when the answer differs, so
the same voices give the same answer, byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterable

from wyoming.info import Attribution, Info, TtsProgram, TtsVoice

from cosyvoice_wyoming import __version__
from cosyvoice_wyoming.text.language import Language
from cosyvoice_wyoming.voices import Voice

PROGRAM_NAME = "cosyvoice-wyoming"
"""Part of the identity under which Home Assistant keeps the server: it never changes."""

# Home Assistant compares `tts.speak`'s language with these letter by letter. Without zh-TW among
# Mandarin's, a user in Taiwan is given zh-HK; without zh-HK, no Chinese pipeline finds Cantonese.
LANGUAGE_TAGS: dict[Language, tuple[str, ...]] = {
    Language.ZH: ("zh", "zh-CN", "zh-TW"),
    Language.EN: ("en", "en-US", "en-GB"),
    Language.JA: ("ja", "ja-JP"),
    Language.KO: ("ko", "ko-KR"),
    Language.YUE: ("yue", "yue-HK", "zh-HK"),
}

_PROJECT = Attribution(name="FunAudioLLM", url="https://github.com/FunAudioLLM/CosyVoice")
_VOICES = Attribution(name="hexgrad", url="https://huggingface.co/hexgrad/Kokoro-82M")


def describe(voices: Iterable[Voice]) -> Info:
    """Return the answer to `describe` for the voices of a model, in their order."""
    program = TtsProgram(
        name=PROGRAM_NAME,
        description="CosyVoice",
        version=__version__,
        attribution=_PROJECT,
        installed=True,
        voices=[_voice(voice) for voice in voices],
        supports_synthesize_streaming=True,
    )
    return Info(tts=[program])


def _voice(voice: Voice) -> TtsVoice:
    return TtsVoice(
        name=voice.name,
        description=voice.description + (" (experimental)" if voice.experimental else ""),
        version=__version__,
        attribution=_VOICES,
        installed=True,
        languages=list(LANGUAGE_TAGS[voice.language]),
    )
