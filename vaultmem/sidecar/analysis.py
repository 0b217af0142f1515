"""Turns text into the terms that keyword search compares; notes and queries go the same way.

A word of a script with spaces gives its stem, and a run of a script without them its n-grams.
A compound (`rate_limit`, `src/mw/ratelimit.rs`, `parseHTTPHeader`) is indexed whole and in parts.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache

from py_rust_stemmers import SnowballStemmer

LONGEST_TERM = 64

_STEMMERS = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nb": "norwegian",
    "nl": "dutch",
    "nn": "norwegian",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
}

_COMPOUNDING = frozenset(["da", "de", "fi", "hu", "nb", "nl", "nn", "no", "sv"])
"""Languages that write several words as one; their words are found by n-grams too."""
_COMPOUND_N = 4

# Runs of these scripts are cut into n-grams: the characters of a script, and its n.
_RUNS = [
    ("\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
     "\U00020000-\U0003ffff", 2),  # Han
    ("\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff", 2),  # kana
    ("\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff", 2),  # hangul
    ("\u0e01-\u0e3a\u0e40-\u0e4e", 3),  # Thai
    ("\u0e81-\u0ebd\u0ec0-\u0ece\u0edc-\u0edf", 3),  # Lao
    ("\u1780-\u17d3\u17d7\u17dc\u17dd", 3),  # Khmer
    ("\u1000-\u103f\u1050-\u109f\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa7f", 3),  # Myanmar
]  # fmt: skip
_N = [(re.compile(f"[{chars}]"), n) for chars, n in _RUNS]
_FIRST_RUN = "\u0e01"

# Marks that stand inside a word without being letters, Indic vowels above all.
_MARK = (
    r"[\u0300-\u036f\u0483-\u0487\u0730-\u074a\u07a6-\u07b0\u07eb-\u07f3\u0900-\u0963\u0971-\u0dff"
    r"\u0f71-\u0f84\u1dc0-\u1dff]"
)
_LETTER = rf"[^\W_{''.join(chars for chars, _ in _RUNS)}]"
_WORD = rf"{_LETTER}+(?:{_MARK}+{_LETTER}*)*"
_JOINT = r"(?:_{1,2}[-./@]?_{0,2}|[-./@]_{0,2})"
_TOKEN = re.compile(
    r"[A-Za-z0-9+/]{200,}=*"  # data in base64, which has no words
    r"|[A-Za-z](?:\+\+|\#)(?!\w)"  # C++, C#
    r"|\d{4}-\d\d-\d\d(?=T\d)"  # the day of a time
    rf"|{_WORD}(?:{_JOINT}{_WORD})*|" + "|".join(f"[{chars}]+" for chars, _ in _RUNS)
)
_BASE64 = re.compile(r"[A-Za-z0-9+/]{200,}=*")

# Soft hyphens, zero-width and direction marks, variation selectors, Hebrew and Arabic points.
_UNSEEN = re.compile(
    r"[\u00ad\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670"
    r"\u06d6-\u06dc\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]"
)
# Normalising takes quadratic time in marks on one letter, so long text goes in slices.
_SLICE = re.compile(r".{1,1000}(?!\S)|.{1,1000}", re.DOTALL)

_LEVELS = [re.compile(r"_*[/@]_*"), re.compile(r"_*(?:(?<!\d)\.|\.(?!\d))_*"), re.compile(r"[-_]+")]
_VERSION = re.compile(r"([^\W\d_]*)(\d+(?:\.\d+)+)")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z0-9])(?=[A-Z][a-z])")
_ACRONYMS = re.compile(r"([A-Z]{2,})s")

_MARKS = re.compile(r"[\u0300-\u036f]+")
_UNDIVIDED = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ı": "i", "ħ": "h"}
)


def terms(text: str, language: str = "en") -> list[str]:
    """Return the terms of a text in order, as often as they occur, each at most 64 characters.

    `language` (`fr`, `pt-BR`) chooses the stemmer of Latin words; one that is not known counts as
    English. Whatever the language, a Latin word has a term in common with the same word in
    every other one, with or without its accents.
    """
    language = re.split("[-_]", language.lower(), maxsplit=1)[0]
    found: list[str] = []
    for token in _TOKEN.findall(_folded(text)):
        if token[0] >= _FIRST_RUN and (n := _gram(token[0])):
            found += [token[i : i + n] for i in range(len(token) - n + 1)] or [token]
        elif len(token) <= LONGEST_TERM:
            found += _token_terms(token, language)
        elif _BASE64.fullmatch(token):
            found.append(token[:LONGEST_TERM].casefold())
        else:
            found += _compound(token, language)
    return found


def _folded(text: str) -> str:
    """Return the text in one form of each character, its case kept: humps need it."""
    if text.isascii():
        return text
    seen = _UNSEEN.sub("", text)
    composed = "".join(unicodedata.normalize("NFKC", part) for part in _SLICE.findall(seen))
    # Thai and Lao am is one letter to its readers, though NFKC makes two of it.
    return composed.replace("\u0e4d\u0e32", "\u0e33").replace("\u0ecd\u0eb2", "\u0eb3")


def _gram(char: str) -> int:
    """Return the n of the script's n-grams, 0 for a script with spaces."""
    return next((n for script, n in _N if script.match(char)), 0)


@lru_cache(maxsize=32768)
def _token_terms(token: str, language: str) -> tuple[str, ...]:
    return tuple(_compound(token, language))


def _compound(token: str, language: str) -> list[str]:
    """Return the terms of a token: the whole, then its parts down to words, each term once."""
    return list(dict.fromkeys(term[:LONGEST_TERM] for term in _parts(token, language, 0)))


def _parts(token: str, language: str, level: int) -> Iterator[str]:
    if level == len(_LEVELS):
        yield from _word(token, language)
        return
    parts = [part for part in _LEVELS[level].split(token) if part]
    if len(parts) > 1:
        yield token.casefold()
        if level == len(_LEVELS) - 1 and parts[0].isalpha():
            yield from _stems("".join(parts).casefold(), language)  # e-mail is email
    for part in parts:
        yield from _parts(part, language, level + 1)


def _word(word: str, language: str) -> Iterator[str]:
    """Yield the terms of a word without joints: a version, a word with humps, or a plain one."""
    folded = unicodedata.normalize("NFC", word.casefold())
    version = _VERSION.fullmatch(folded)
    if version:
        yield folded
        yield version[2]
        if len(version[1]) > 1:
            yield from _stems(version[1], language)
        return
    plural = _ACRONYMS.fullmatch(word)
    humps = [plural[1]] if plural else _HUMP.split(word)
    if len(humps) > 1:
        yield folded
    yield from _stems(folded, language)
    if plural or len(humps) > 1:
        for hump in humps:
            yield from _stems(hump.casefold(), language)


def _stems(word: str, language: str) -> Iterator[str]:
    """Yield the stem in the word's language, and the one that all Latin words are found by."""
    if len(word) > LONGEST_TERM:
        yield word
    elif _is_latin(word[0]):
        plain = _without_accents(word)
        yield _stem(word, language)
        yield _stem(plain, "en")
        if language in _COMPOUNDING:
            last = len(plain) - _COMPOUND_N
            yield from (f"~{plain[i : i + _COMPOUND_N]}" for i in range(last + 1 if last else 0))
    else:
        yield _stem(word, _language_of_script(word[0]))


def _stem(word: str, language: str) -> str:
    return _stemmer(_STEMMERS.get(language, "english")).stem_word(word) or word


@cache
def _stemmer(name: str) -> SnowballStemmer:
    return SnowballStemmer(name)


def _is_latin(char: str) -> bool:
    return char < "\u0250" or "\u1e00" <= char <= "\u1eff"


def _language_of_script(char: str) -> str:
    if "\u0400" <= char <= "\u052f":
        return "ru"
    if "\u0370" <= char <= "\u03ff" or "\u1f00" <= char <= "\u1fff":
        return "el"
    if "\u0600" <= char <= "\u06ff":
        return "ar"
    return "ta" if "\u0b80" <= char <= "\u0bff" else "en"


def _without_accents(word: str) -> str:
    if word.isascii():
        return word
    return _MARKS.sub("", unicodedata.normalize("NFD", word)).translate(_UNDIVIDED)


_COMMON = {
    "en": "the of and to in is that it for was with are this be have not from which they but you "
    "what who when where why how does did has a an on by at as or can do if there were about",
    "da": "og det at en den er som på de med han af for ikke der var har jeg til et blev vi kan "
    "hvad hvem hvor hvornår hvordan hvilken",
    "de": "der die und das ist nicht ein eine zu den mit von auf für dem im sich wird auch es wir "
    "was wer wie wem wann wo warum welche welcher welches welchen welchem wurde wurden hat haben "
    "war des bei nach an am vom zum zur durch aus sind sie er als einen einem einer wofür womit",
    "es": "el la de que y en los del se las por un una con no para es su al lo como más está pero "
    "qué quién cuándo dónde cómo cuál",
    "fi": "ja on ei se että hän oli ovat mutta kun niin myös tai joka sen jos vain kuin ole tämä "
    "mikä mitä kuka missä milloin miten miksi",
    "fr": "le la les de des et est un une du que pas dans pour qui sur il en au nous avec ce sont "
    "quel quelle quand comment pourquoi où",
    "hu": "a az és hogy nem egy is van ez meg csak de már még volt ha kell azt vagy mint lehet "
    "mi ki mikor hol hogyan miért melyik",
    "it": "il di che la e non per un una è del della in sono con si le dei alla da gli ma nel più "
    "cosa chi quando dove come quale",
    "nl": "de het een en van is niet dat te op voor met zijn aan er maar ook als bij wordt wij dit "
    "wat wie wanneer waar hoe welke waarom",
    "no": "og det er en ikke på som å den til med av for har at jeg vi de kan var fra etter blir "
    "hva hvem hvor når hvordan hvilken",
    "pt": "o a de que e do da em um uma os não para com no na se as dos por mais é ao foi são está "
    "qual quem quando onde como",
    "ro": "și de la în a cu pe nu un o este care din să că mai pentru sunt au fost ce dar sau prin "
    "cine când unde cum",
    "ru": "и в не на что с по это как а то все он но из у к за от для мы его она так же бы или "
    "кто когда где почему какой",
    "sv": "och att det är en som på för av med inte den till har om ett jag vi de så kan från var "
    "vad vem när hur vilken varför",
    "tr": "ve bir bu için ile da de ne çok daha olan gibi olarak var ama değil kadar her sonra ki "
    "kim nerede nasıl neden hangi",
}
_SAMPLE = 4000


def common_words(language: str) -> list[str]:
    """Return the commonest words of a language, none for one that is not known."""
    return _COMMON.get(language, "").split()


@cache
def _speakers() -> dict[str, list[str]]:
    """Return the languages in which each of the common words is one."""
    speakers: dict[str, list[str]] = {}
    for language, words in _COMMON.items():
        for word in words.split():
            speakers.setdefault(word, []).append(language)
    return speakers


def language_of(text: str, least: int = 8) -> str:
    """Return the language whose commonest words the text uses most, `en` when that is unclear.

    A text of fewer than `least` words is unclear; only the first 4,000 characters are looked at.
    """
    words = re.findall(r"[^\W\d_]+", unicodedata.normalize("NFC", text[:_SAMPLE]).casefold())
    if len(words) < least:
        return "en"
    speakers = _speakers()
    votes = Counter(language for word in words for language in speakers.get(word, ()))
    (best, most), (_, second) = [*votes.most_common(2), ("en", 0), ("en", 0)][:2]
    return best if most > second and most * 10 >= len(words) else "en"
