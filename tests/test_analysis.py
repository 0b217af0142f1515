"""Terms: what a text is found by."""

from __future__ import annotations

import re
import unicodedata

import pytest
from growth import seconds
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.sidecar.analysis import LONGEST_TERM, language_of, terms

LANGUAGES = [
    "ar",
    "da",
    "de",
    "en",
    "es",
    "fi",
    "fr",
    "hu",
    "it",
    "nb",
    "nl",
    "pt",
    "ro",
    "ru",
    "sv",
    "tr",
    "xx",
]
LATIN = st.text("abcdefghilmnorstuvéèüöäåñçß", min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n*_-.#", []),
        ("Parsing the headers", ["pars", "the", "header"]),
        ("to be or not to be", ["to", "be", "or", "not", "to", "be"]),
        ("429 and 1.5", ["429", "and", "1.5"]),
        ("#123", ["123"]),
        ("C++, C#", ["c++", "c#"]),
        ("**bold**, [[link|alias]]", ["bold", "link", "alia"]),
        ("the user's", ["the", "user", "s"]),
    ],
)
def test_words_and_numbers(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("identifier", "whole", "parts"),
    [
        ("parseHTTPHeader", "parsehttpheader", {"pars", "http", "header"}),
        ("HTTP2Server", "http2server", {"http2", "server"}),
        ("rate_limit", "rate_limit", {"rate", "limit"}),
        ("rate-limits", "rate-limits", {"rate", "limit"}),
        ("__init__.py", "init__.py", {"init", "py"}),
        ("src/mw/ratelimit.rs", "src/mw/ratelimit.rs", {"src", "mw", "ratelimit.rs", "rs"}),
        ("v1.2.3", "v1.2.3", {"1.2.3"}),
        ("v1.2.3-rc.1", "v1.2.3-rc.1", {"v1.2.3", "1.2.3", "rc"}),
        ("python3.11", "python3.11", {"python", "3.11"}),
        ("10.0.0.1", "10.0.0.1", set()),
        ("bob@example.com", "bob@example.com", {"bob", "example.com", "com"}),
        ("https://github.com/acme/api", "github.com/acme/api", {"https", "acm", "github.com"}),
        ("2026-11-30T02:14:07", "2026-11-30", {"2026", "11", "30"}),
        ("PRs", "prs", {"pr"}),
    ],
)
def test_identifiers_are_found_whole_and_in_parts(
    identifier: str, whole: str, parts: set[str]
) -> None:
    assert {whole, *parts} <= set(terms(identifier))


@pytest.mark.parametrize(
    ("note", "query"),
    [
        ("parseHTTPHeader", "parsehttpheader"),
        ("parseHTTPHeader", "header"),
        ("rate_limit", "rate-limit"),
        ("rateLimit", "rate_limit"),
        ("rateLimit", "ratelimit"),
        ("e-mails", "email"),
        ("v1.2.3", "1.2.3"),
        ("café", "cafe"),
        ("Łódź", "lodz"),
        ("Straße", "STRASSE"),
        ("résumé", "RESUME"),
        ("ｆｕｌｌ　ｗｉｄｔｈ", "full"),
        ("ﬁle", "file"),
        ("ﾀﾜｰ", "タワー"),
        ("soft\u00adhyphen", "softhyphen"),
        ("e\u0301cole", "\u00e9cole"),
        ("книги", "книга"),
        ("كِتَابٌ", "كتاب"),
        ("東京都庁", "東京"),
        ("서울에서", "서울"),
        ("ขอน้ำตาลหน่อย", "น้ำตาล"),
    ],
)
def test_a_note_is_found_by_another_spelling(note: str, query: str) -> None:
    assert set(terms(note)) & set(terms(query))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("東京タワー", ["東京", "タワ", "ワー"]),
        ("字", ["字"]),
        ("서울에서 왔다", ["서울", "울에", "에서", "왔다"]),
        ("น้ำตาล", ["น้ำ", "้ำต", "ำตา", "ตาล"]),
        ("มา", ["มา"]),
        ("ພາສາ", ["ພາສ", "າສາ"]),
        ("ភាសា", ["ភាស", "ាសា"]),
        ("မြန်", ["မြန", "ြန်"]),
        ("ใช้API", ["ใช้", "api"]),
        ("用API限流", ["用", "api", "限流"]),
    ],
)
def test_scripts_without_spaces_become_n_grams(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_vowel_signs_stay_in_their_word() -> None:
    assert terms("हिन्दी में") == ["हिन्दी", "में"]


def test_an_accented_stem_is_kept_beside_the_plain_one() -> None:
    assert terms("cafés") == ["café", "cafe"]


def test_accents_of_other_scripts_are_kept() -> None:
    assert terms("й") == ["й"]


def test_the_language_chooses_the_stemmer_of_latin_words() -> None:
    assert "haus" in terms("Häuser", "de")
    assert terms("Häuser", "de-AT") == terms("Häuser", "de")


def test_an_unknown_language_counts_as_english() -> None:
    assert terms("Parsing the headers", "xx") == terms("Parsing the headers", "en")


@pytest.mark.parametrize(
    "text",
    ["x" * 1000, "ab/" * 1000, "a_" * 1000, "x.y" * 100_000, "aB3+" * 1000, "é" * 500],
)
def test_no_term_is_longer_than_the_longest(text: str) -> None:
    assert 0 < max(map(len, terms(text))) <= LONGEST_TERM


def test_data_in_base64_is_one_term() -> None:
    assert len(terms("QUJD/0VGR0hJ+ktM" * 500 + "==")) == 1


def test_the_order_of_the_text_is_kept_with_repetitions() -> None:
    assert terms("one two one") == ["one", "two", "one"]


@given(st.text(), st.sampled_from(LANGUAGES))
def test_terms_are_short_and_never_empty(text: str, language: str) -> None:
    assert all(0 < len(term) <= LONGEST_TERM for term in terms(text, language))


@given(st.text(), st.sampled_from(LANGUAGES))
def test_the_same_text_gives_the_same_terms(text: str, language: str) -> None:
    assert terms(text, language) == terms(text, language)


@given(st.text(), st.text(), st.sampled_from(LANGUAGES))
def test_lines_are_independent(one: str, two: str, language: str) -> None:
    assert terms(f"{one}\n{two}", language) == terms(one, language) + terms(two, language)


@given(st.text(st.characters(categories=["Lu", "Ll", "Lo", "Nd"]), min_size=1))
def test_no_text_with_letters_is_without_terms(text: str) -> None:
    visible = re.search(r"[^\W_]", unicodedata.normalize("NFKC", text))

    assert bool(terms(text)) == bool(visible)


@given(LATIN, st.sampled_from(LANGUAGES), st.sampled_from(LANGUAGES))
def test_a_latin_word_is_found_across_languages(word: str, one: str, two: str) -> None:
    assert set(terms(word, one)) & set(terms(word, two))


@given(LATIN, st.sampled_from(LANGUAGES), st.sampled_from(LANGUAGES))
def test_a_latin_word_is_found_without_its_accents(word: str, one: str, two: str) -> None:
    plain = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))

    assert set(terms(word, one)) & set(terms(plain, two))


@pytest.mark.parametrize(
    "unit",
    ["a_", "a.", "_", "a-1.", "[[", "|", "`", "word ", "漢", "ก", "a\u0301\u0323", "क्", "A", "1."],
)
def test_time_grows_with_the_length_only(unit: str) -> None:
    short, long = unit * (12_500 // len(unit)), unit * (100_000 // len(unit))

    assert seconds(lambda: terms(long)) < 20 * seconds(lambda: terms(short)) + 0.05


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "We limit the rate of the public interface because it was overrun twice."),
        (
            "de",
            "Wir begrenzen die Rate der Schnittstelle, weil sie zweimal nicht zu erreichen war.",
        ),
        ("fr", "Nous limitons le débit de la passerelle parce que les pics ne sont pas rares."),
        ("es", "Limitamos la tasa de la interfaz porque los picos no son raros en el servicio."),
        ("it", "Limitiamo il ritmo della porta perché i picchi non sono rari e il server è lento."),
        ("pt", "Limitamos a taxa da interface porque os picos não são raros e o servidor é lento."),
        ("nl", "We beperken het tempo van de poort, want het is niet zeldzaam dat er pieken zijn."),
        ("sv", "Vi begränsar takten för att det inte är ovanligt att servern blir överbelastad."),
        ("ru", "Мы ограничили частоту запросов, потому что сервер не успевал и это было плохо."),
    ],
)
def test_the_language_is_known_by_its_common_words(language: str, text: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize(
    "text",
    ["", "der die das und ist", "alpha beta gamma delta epsilon zeta eta theta", "漢字" * 50],
)
def test_a_text_that_is_short_or_unclear_counts_as_english(text: str) -> None:
    assert language_of(text) == "en"


@given(st.text())
def test_every_guess_is_a_language_that_has_a_stemmer(text: str) -> None:
    assert language_of(text) in {*LANGUAGES, "no"}
