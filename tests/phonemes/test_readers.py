from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from cosyvoice_wyoming.phonemes.readers import reader
from cosyvoice_wyoming.text.language import Language

LIBRARIES = {
    Language.ZH: "pypinyin",
    Language.YUE: "canto_hk_g2p",
    Language.JA: "pyopenjtalk",
    Language.EN: "hibari",
}


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )


def test_importing_loads_no_language_library():
    result = run(
        "import sys, cosyvoice_wyoming.phonemes\n"
        f"print([name for name in {list(LIBRARIES.values())} if name in sys.modules])"
    )
    assert (result.stdout, result.stderr) == ("[]\n", "")


@pytest.mark.parametrize("language", Language)
def test_a_language_loads_its_own_library_only_and_says_nothing(language):
    result = run(
        "import sys\n"
        "from cosyvoice_wyoming.phonemes import preload\n"
        "from cosyvoice_wyoming.text.language import Language\n"
        f"preload([Language({language.value!r})])\n"
        f"print([name for name in {list(LIBRARIES.values())} if name in sys.modules])"
    )
    loaded = [LIBRARIES[language]] if language in LIBRARIES else []
    assert (result.stdout, result.stderr) == (f"{loaded}\n", "")


def test_threads_share_one_reader_and_hear_the_same():
    text = "거실 불을 켰습니다"
    with ThreadPoolExecutor(4) as pool:
        readers = list(pool.map(reader, [Language.KO] * 8))
        said = list(pool.map(lambda one: one.read(text), readers))
    assert len(set(map(id, readers))) == 1
    assert len(set(said)) == 1
