"""Credentials are found by kind, and what merely looks like one is left alone.

Every sample is put together at run time, so that no scanner takes this file for a leak.
"""

from __future__ import annotations

import base64
import hashlib
import json
import random
import string
import uuid
from collections.abc import Iterator

import pytest
from benchmarks.soak import samples
from growth import seconds
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.words.errors import SecretFound
from vaultmem.words.secrets import refuse_secrets, secrets_in

UPPER = string.ascii_uppercase + string.digits
ALNUM = string.ascii_letters + string.digits
URLSAFE = ALNUM + "-_"
HEX = "0123456789abcdef"
DIGITS = string.digits

chance = random.Random(20261130)


def some(alphabet: str, length: int) -> str:
    return "".join(chance.choices(alphabet, k=length))


def b64(data: bytes | str) -> str:
    return base64.b64encode(data.encode() if isinstance(data, str) else data).decode()


def pem(kind: str = "RSA ", lines: int = 12) -> str:
    body = "\n".join(some(ALNUM + "+/", 64) for _ in range(lines))
    return f"-----BEGIN {kind}PRIVATE" + f" KEY-----\n{body}\n-----END {kind}PRIVATE" + " KEY-----"


def jwt() -> str:
    parts = ({"alg": "HS256", "typ": "JWT"}, {"sub": some(DIGITS, 10), "admin": True})
    head, body = (b64(json.dumps(part)).rstrip("=") for part in parts)
    return f"{head}.{body}.{some(URLSAFE, 43)}"


def iban() -> str:
    account = some(DIGITS, 18)
    check = 98 - int(f"{account}131400") % 97  # D is 13 and E is 14
    return f"DE{check:02}{account}"


def in_fours(text: str) -> str:
    return " ".join(text[at : at + 4] for at in range(0, len(text), 4))


SEED = "ladder orbit maple velvet crisp tunnel anchor dolphin hazard ribbon canyon mirror"

TRUE = [
    ("AWS access key", "AK" + "IA" + some(UPPER, 16)),
    ("AWS access key", "AS" + "IA" + some(UPPER, 16)),
    ("secret assignment", "aws_secret_" + f"access_key = {some(ALNUM + '+/', 40)}"),
    ("GitHub token", "gh" + "p_" + some(ALNUM, 36)),
    ("GitHub token", "gh" + "o_" + some(ALNUM, 36)),
    ("GitHub token", "gh" + "s_" + some(ALNUM, 36)),
    ("GitHub token", "github" + f"_pat_{some(ALNUM, 22)}_{some(ALNUM, 59)}"),
    ("GitLab token", "gl" + "pat-" + some(URLSAFE, 20)),
    ("OpenAI key", "sk" + "-" + some(ALNUM, 48)),
    ("OpenAI key", "sk" + "-proj-" + some(URLSAFE, 120)),
    ("Anthropic key", "sk" + "-ant-api03-" + some(URLSAFE, 93)),
    ("Slack token", "xox" + f"b-{some(DIGITS, 12)}-{some(DIGITS, 13)}-{some(ALNUM, 24)}"),
    ("Slack token", "xox" + f"p-{some(DIGITS, 12)}-{some(DIGITS, 12)}-{some(HEX, 32)}"),
    (
        "Slack webhook",
        "https://hooks.slack"
        + f".com/services/T{some(UPPER, 8)}/B{some(UPPER, 8)}/{some(ALNUM, 24)}",
    ),
    (
        "Discord webhook",
        "https://discord" + f".com/api/webhooks/{some(DIGITS, 18)}/{some(URLSAFE, 68)}",
    ),
    ("Google key", "AI" + "za" + some(URLSAFE, 35)),
    ("Stripe key", "sk" + "_live_" + some(ALNUM, 24)),
    ("npm token", "np" + "m_" + some(ALNUM, 36)),
    ("PyPI token", "py" + "pi-AgEIcHlwaS5vcmc" + some(URLSAFE, 150)),
    ("SendGrid key", "S" + f"G.{some(URLSAFE, 22)}.{some(URLSAFE, 43)}"),
    ("Telegram bot token", some("123456789", 10) + ":AA" + some(URLSAFE, 33)),
    ("Hugging Face token", "h" + "f_" + some(ALNUM, 34)),
    ("DigitalOcean token", "do" + "p_v1_" + some(HEX, 64)),
    ("Vault token", "hv" + "s." + some(URLSAFE, 90)),
    ("private key", pem()),
    ("private key", pem("OPENSSH ")),
    ("private key", pem("", lines=1)),
    ("private key", json.dumps({"key": pem("EC ")})),
    ("private key", "\n".join(f"> {line}" for line in pem().splitlines())),
    ("JSON web token", jwt()),
    ("password assignment", "pass" + "word=hunter2"),
    ("password assignment", "pass" + 'word: "Tr0ub4dor&3"'),
    ("password assignment", "The pass" + "word is S0mmer!Wind."),
    ("password assignment", "**Pass" + "word:** `Winter2026`"),
    ("password assignment", json.dumps({"pass" + "wd": "k9#Lm2!x"})),
    ("password assignment", "mysqldump --pass" + "word q7Zt9LmP --all"),
    ("password assignment", "machine host login me pass" + "word q7Zt9LmP"),
    ("password assignment", "รหัสผ่าน: " + "Somchai88"),
    ("secret assignment", "sec" + f"ret={some(HEX, 40)}"),
    ("secret assignment", "tok" + f"en = '{some(ALNUM, 32)}'"),
    ("secret assignment", "api" + f"_key: {some(HEX, 32)}"),
    ("secret assignment", "API" + f'_KEY: str = "{some(ALNUM, 40)}"'),
    ("secret assignment", "HEROKU_API" + f"_KEY={uuid.UUID(some(HEX, 32))}"),
    ("secret assignment", "DEBUG=1\nSEC" + f"RET_KEY_BASE={some(HEX, 64)}\nPORT=80"),
    ("authorization header", "Authorization: " + "Basic " + b64("user:" + some(ALNUM, 12))),
    ("authorization header", "curl -H 'authorization: " + f"Bearer {some(ALNUM, 40)}'"),
    ("password in a URL", "postgres://app:" + some(ALNUM, 14) + "@db.internal:5432/app"),
    ("password in a URL", "https://" + some(HEX, 40) + "@git.internal/org/repo"),
    ("IBAN", iban()),
    ("IBAN", "pay to " + in_fours(iban()) + " BIC COBADEFF"),
    ("seed phrase", f"seed phrase: {SEED}"),
    ("seed phrase", f"my wallet's recovery words are below, mnemonic = {SEED}"),
    ("private key", b64(pem())),
    ("private key", "\n".join(b64(pem())[at : at + 76] for at in range(0, 900, 76))),
    ("GitHub token", b64("gh" + "p_" + some(ALNUM, 36))),
    ("npm token", b64("np" + "m_" + some(ALNUM, 36))),
    ("password assignment", b64("DB_PASS" + "WORD=Tr0ub4dor&3\n")),
    ("GitHub token", r"{\"t\":\"line\n" + "gh" + "p_" + some(ALNUM, 36)),
    ("GitHub token", "gh" + "\u200bp_" + some(ALNUM, 36)),
]


def words_only() -> Iterator[str]:
    names = ["password", "passwd", "secret", "token", "api_key", "API-Key", "client_secret"]
    values = [
        "password",
        "str",
        "Optional[str]",
        "None",
        "bucket",
        "<token>",
        "xxxxxxxxxxxxxxxxxxxx",
        "changeme",
        "${VAR}",
        "$DB_PASSWORD2",
        '"{{ vault_password_2 }}"',
        'os.environ["DB_PASSWORD_1"]',
        "process.env.API_KEY_V2",
        "settings.OAUTH2_CLIENT_SECRET",
        "get_secret('prod/db1')",
        "user_token_v2",
        "sha256_hex_digest_of_body",
        "/run/secrets/db_password1",
        "op://vault/item1/field2",
        "your-api-key-goes-here-1234",
        "'must have at least 8 characters and 1 digit'",
        "1Password",
        "sha256",
        "2026-11-30T02:14:07",
        "********",
        "example_token_0123456789abcdef",
    ]
    for name in names:
        for value in values:
            yield f"{name} = {value}"


def identifiers() -> Iterator[str]:
    for number in range(60):
        data = some(ALNUM, 40).encode()
        yield f"id: {uuid.UUID(some(HEX, 32))}"
        yield f"commit {hashlib.sha1(data).hexdigest()} fixes the token bucket"
        yield f"sha256:{hashlib.sha256(data).hexdigest()}"
        yield f"sha512-{b64(hashlib.sha512(data).digest())}"
        yield f"![](data:image/png;base64,{b64(chance.randbytes(600 + number))})"
        yield f"next_token: {some(ALNUM, 40)}"
        yield f"session token {uuid.UUID(some(HEX, 32))}, order {some(UPPER, 22)}"
        yield f"| etag | {hashlib.md5(data).hexdigest()} |\nkey-{some(DIGITS, 13)}.json"


PROSE = [
    "The password is stored in the vault; ask Ann for the token.",
    "We rate-limit with a token bucket: token = bucket of 100.",
    "The secret: write small functions. Password: see the handbook, section 12.",
    "The password is base64 encoded and the token is 32 bytes long.",
    "first pass: step2 of the compiler, second pass: epoch100",
    "def login(password: str, token: str | None = None) -> Secret:",
    "client = Client(password=password, token=self.token2, api_key=API_KEY_V2)",
    "if password == other.password2: return tokens[0]",
    "password_hash: 3f2a9c81d4e7aa01, token_count: 48151623, secretName: k8s-secret-name",
    "postgres://user:password@localhost, https://user:<token>@host, redis://:${PW1234}@host",
    "postgres://postgres:postgres@localhost:5432/postgres",
    "http://localhost:8080/@scope/package and git@github.com:acme/api.git",
    "docker://alpine:3.18.4-r0@sha256:" + "0a" * 32,
    "Keys start with sk-ant-, ghp_ or AKIA; ours is ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.",
    "The AWS docs use AKIAIOSFODNN7" + "EXAMPLE everywhere.",
    "A PEM file begins with -----BEGIN RSA PRIVATE" + " KEY----- and then base64.",
    "-----BEGIN RSA PRIVATE" + " KEY-----\n...\n-----END RSA PRIVATE" + " KEY-----",
    "-----BEGIN CERTIFICATE-----\n" + "MIIDdzCCAl+gAwIBAgIE" * 8 + "\n-----END CERTIFICATE-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + some(ALNUM, 43) + " ann@laptop",
    "class=sk-fading-circle-with-twelve-dots and sk-some-long-css-class-name-here",
    "pip install pypi-some-long-package-name-with-many-words-in-it-for-the-test-of-it",
    "xoxb-this-is-not-a-token-at-all, glpat-your-token-goes-here-please",
    "npm_config_registry=https://registry.npmjs.org/ npm_lifecycle_event=test",
    "DE00 0000 0000 0000 0000 01 is no account, nor is GB12ABCD34567890123456.",
    "Your seed phrase is the list of words that you write down on paper and never show.",
    "seed = 42, wallet: leather, recovery: two weeks with plenty of rest and good sleep",
    "Bearer tokens are sent in the authorization header: Bearer <token>",
    "Base64 of a word: aGVsbG8gd29ybGQgdGhpcyBpcyBwbGFpbiB0ZXh0IG9mIG5vIGludGVyZXN0",
    "รหัสผ่านเก็บไว้ในตู้เซฟ ไม่ได้อยู่ที่นี่",
]

LOOK_ALIKES = [*PROSE, *words_only(), *identifiers()]


@pytest.mark.parametrize(("kind", "text"), TRUE, ids=lambda value: value[:20])
def test_a_credential_is_found_by_its_kind(kind: str, text: str) -> None:
    assert kind in secrets_in(f"We use this:\n{text}\nfor the deploy.")


def test_many_kinds_of_credentials_are_known() -> None:
    found = [kind in secrets_in(text) for kind, text in TRUE]

    assert len({kind for kind, _ in TRUE}) >= 20
    assert len(found) >= 30
    assert found.count(False) <= 1


def test_look_alikes_are_left_alone() -> None:
    flagged = [(text, kinds) for text in LOOK_ALIKES if (kinds := secrets_in(text))]

    assert len(LOOK_ALIKES) >= 300
    assert flagged == []


def test_kinds_are_sorted_and_named_once() -> None:
    token, key = "gh" + "p_" + some(ALNUM, 36), "AK" + "IA" + some(UPPER, 16)

    assert secrets_in(f"{token} {key} {token}") == ["AWS access key", "GitHub token"]


def test_a_secret_is_refused_and_its_value_never_told() -> None:
    token = "gh" + "p_" + some(ALNUM, 36)

    with pytest.raises(SecretFound, match="GitHub token") as caught:
        refuse_secrets("a harmless title", f"and a body with {token}")

    assert token not in str(caught.value)


def test_harmless_texts_are_not_refused() -> None:
    refuse_secrets()
    refuse_secrets("", *PROSE)


@given(st.text())
def test_any_text_can_be_searched(text: str) -> None:
    assert secrets_in(text) == sorted(set(secrets_in(text)))


@pytest.mark.parametrize(
    "piece",
    ["a", "=", "sk-ant-", "eyJ.eyJ-", "password=", "password is ", "://a:", "DE12 ", "seed: word ",
     "-----BEGIN A PRIVATE" + " KEY-----", "login a password ", "Bearer ", "xoxb-", "A1b2", "\n "],
)  # fmt: skip
def test_time_grows_with_the_length_alone(piece: str) -> None:
    short, long = piece * (10_000 // len(piece)), piece * (80_000 // len(piece))

    assert seconds(lambda: secrets_in(long)) < 20 * seconds(lambda: secrets_in(short)) + 0.05


def test_samples_of_every_kind_made_anew_are_told_from_what_only_looks_alike() -> None:
    true, false = samples.secrets(7), samples.look_alikes(7)

    assert (len(true), len(false)) == (30, 300)
    assert [text for text in true if not secrets_in(text)] == []
    assert [text for text in false if secrets_in(text)] == []
