"""pypinyin with its tables of phrases packed: 35 MB less, for a tenth of a second at the load."""

from __future__ import annotations

from cosyvoice_wyoming.phonemes.packed import PackedTable


def pack() -> None:
    """Load pypinyin and put packed tables where its modules keep the phrases and their prefixes.

    The library offers no other way in. Its answers stay the same.
    """
    from pypinyin import constants, converter, core, phrases_dict, pinyin_dict
    from pypinyin.seg import mmseg, simpleseg

    found = vars(constants)["PHRASES_DICT"]
    if isinstance(found, PackedTable):
        return
    phrases = PackedTable(found)
    for module in (constants, converter, core, mmseg, simpleseg):
        vars(module)["PHRASES_DICT"] = phrases
    vars(phrases_dict)["phrases_dict"] = phrases
    prefixes = vars(mmseg.p_set)
    prefixes["_set"] = PackedTable(dict.fromkeys(prefixes["_set"], ""))
    # the second copy of the table of characters
    pinyin_dict.pinyin_dict = constants.PINYIN_DICT
