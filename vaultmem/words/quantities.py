"""Numbers and units, however they are written: `30 s` and `thirty seconds` are one quantity."""

from __future__ import annotations

import re

_SAME = """
% percent pct percentage
ms msec millisecond milliseconds|s sec secs second seconds|min mins minute minutes
h hr hrs hour hours|day days|week weeks|month months|year years
kb kilobyte kilobytes|mb megabyte megabytes|gb gigabyte gigabytes|tb terabyte terabytes
byte bytes|bit bits|km kilometre kilometres kilometer kilometers|metre metres meter meters
mile miles|cm centimetre centimetres|mm millimetre millimetres|kg kilogram kilograms
$ dollar dollars usd us$|€ euro euros eur|£ pound pounds gbp|¥ yen jpy|฿ baht thb|cent cents
hundred hundreds|thousand thousands|million millions mln|billion billions bn|trillion trillions
point points|degree degrees|°c celsius|°f fahrenheit|times x|am|pm|ft foot feet|lb lbs
v volt volts|w watt watts|hz hertz|khz kilohertz|mhz megahertz|ghz gigahertz
"""
_UNITS = {
    word: same.split()[0] for same in _SAME.replace("\n", "|").split("|") for word in same.split()
}
_BITS = {"Kb": "kbit", "Mb": "mbit", "Gb": "gbit", "Tb": "tbit"}
_ONES = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth"
_THEMSELVES = "half once twice thrice hundred thousand million billion"
_VALUES = {
    **{word: str(number) for number, word in enumerate(_ONES.split())},
    **{word: f"{number}0" for number, word in enumerate(_TENS.split(), 2)},
    **{word: f"no. {number}" for number, word in enumerate(_ORDINALS.split(), 1)},
    **{word: word for word in _THEMSELVES.split()},
    "double": "twice",
    "triple": "thrice",
    "dozen": "12",
}
IDLE = frozenset(("one", "first", "half", "once"))
"""Words that often count nothing, so that one text may leave them out."""

_NUMBER = re.compile(r"([^\w\s]*)(\d(?:[\d.,:/-]*\d)?)(.*)", re.DOTALL)
_THOUSANDS = re.compile(r",(?=\d\d\d)")
_RANK = re.compile("st|nd|rd|th")


def unit(word: str) -> str:
    """Return the one name of a unit, or nothing if a word is none."""
    return _BITS.get(word) or _UNITS.get(word.casefold(), "")


def value(word: str) -> str:
    """Return the number that an English word in lower case says, or nothing."""
    return _VALUES.get(word, "")


def quantity(written: str) -> tuple[str, str] | None:
    """Return value and unit of a number in digits; None if it is something else."""
    found = _NUMBER.fullmatch(written)
    if found is None:
        return None
    sign, digits, rest = found.groups()
    name = "" if _RANK.fullmatch(rest) else unit(rest) or rest.casefold()
    return _THOUSANDS.sub("", digits), name + (unit(sign) or sign)
