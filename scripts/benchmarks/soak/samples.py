"""Credentials that are none, and what looks like one: made at run time, so that none stands here.

The same ones every time, so that a figure can be compared with the last one.
"""

from __future__ import annotations

import base64
import hashlib
import json
import random
import string
import uuid
from collections.abc import Callable, Iterator

HEX = "0123456789abcdef"
LETTERS = string.ascii_letters + string.digits
CAPITALS = string.ascii_uppercase + string.digits
URL_SAFE = LETTERS + "-_"
_WORDS = "meadow kettle orbit violin harbor pencil cactus tunnel saddle copper lantern pillow"


class Maker:
    """Draws from one seeded source."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def some(self, alphabet: str, length: int) -> str:
        return "".join(self.chance.choices(alphabet, k=length))

    def encoded(self, text: str) -> str:
        return base64.b64encode(text.encode()).decode()

    def key(self, kind: str) -> str:
        body = "\n".join(self.some(LETTERS + "+/", 64) for _ in range(9))
        first, last = (f"-----{word} {kind}PRIVATE{' KEY'}-----" for word in ("BEGIN", "END"))
        return f"{first}\n{body}\n{last}"

    def web_token(self) -> str:
        parts = ({"alg": "RS256"}, {"sub": self.some(string.digits, 9), "exp": 1764469000})
        head, body = (self.encoded(json.dumps(part)).rstrip("=") for part in parts)
        return f"{head}.{body}.{self.some(URL_SAFE, 43)}"

    def account(self) -> str:
        digits = self.some(string.digits, 18)
        return f"DE{98 - int(f'{digits}131400') % 97:02}{digits}"


def secrets(seed: int = 9) -> list[str]:
    """Return 30 texts, each with a credential of another kind or in another dress."""
    made = Maker(seed)
    some = made.some
    git_hub = f"gh{'p_'}{some(LETTERS, 36)}"
    found = [
        f"AKI{'A'}{some(CAPITALS, 16)}",
        f"aws_secret_access_{'key'} = {some(LETTERS + '+/', 40)}",
        git_hub,
        f"github_{'pat_'}{some(LETTERS, 22)}_{some(LETTERS, 59)}",
        f"gl{'pat-'}{some(URL_SAFE, 20)}",
        f"s{'k-'}{some(LETTERS, 48)}",
        f"s{'k-ant-'}api03-{some(URL_SAFE, 93)}",
        f"xo{'xb-'}{some(string.digits, 12)}-{some(string.digits, 12)}-{some(LETTERS, 24)}",
        f"https://hooks.slack.{'com/services/'}T{some(CAPITALS, 8)}/B1/{some(LETTERS, 24)}",
        f"https://discord.{'com/api/webhooks/'}{some('123456789', 18)}/{some(URL_SAFE, 68)}",
        f"AI{'za'}{some(URL_SAFE, 35)}",
        f"s{'k_live_'}{some(LETTERS, 24)}",
        f"np{'m_'}{some(LETTERS, 36)}",
        f"pyp{'i-'}AgEIcHlwaS5vcmc{some(URL_SAFE, 120)}",
        f"S{'G.'}{some(URL_SAFE, 22)}.{some(URL_SAFE, 43)}",
        f"h{'f_'}{some(LETTERS, 34)}",
        f"do{'p_v1_'}{some(HEX, 64)}",
        f"hv{'s.'}{some(URL_SAFE, 90)}",
        f"{some('123456789', 9)}{':AA'}{some(URL_SAFE, 33)}",
        made.key("RSA "),
        made.key("OPENSSH "),
        made.encoded(made.key("")),
        made.web_token(),
        f"DB_PASS{'WORD'}=k7#Qz{some(LETTERS, 8)}9",
        f"The pass{'word'} is `Gr4nite&{some(LETTERS, 6)}7`.",
        f"client_sec{'ret'}: {some(LETTERS, 40)}",
        f"postgres://app:{some(LETTERS, 16)}{'@'}db.acme.internal/app",
        f"Authorization: Bear{'er'} {some(LETTERS, 40)}",
        f"Pay to {made.account()} by Friday.",
        f"The wallet's recovery phrase is: {_WORDS}",
    ]
    return [f"We use this for the deploy:\n\n{text}\n" for text in found]


def look_alikes(seed: int = 9, count: int = 300) -> list[str]:
    """Return texts without a credential: ids, hashes, pictures, lock files, placeholders."""
    made = Maker(seed)
    kinds = list(_kinds(made))
    return [kinds[number % len(kinds)]() for number in range(count)]


def _kinds(made: Maker) -> Iterator[Callable[[], str]]:
    some, chance = made.some, made.chance

    def data() -> bytes:
        return chance.randbytes(40)

    yield lambda: f"id: {uuid.UUID(some(HEX, 32))}"
    yield lambda: f"commit {hashlib.sha1(data()).hexdigest()} fixes it"
    yield lambda: f"sha256:{hashlib.sha256(data()).hexdigest()}"
    yield (
        lambda: (
            f'"integrity": "sha512-{base64.b64encode(hashlib.sha512(data()).digest()).decode()}"'
        )
    )
    yield lambda: f"pkg-1.2.tar.gz --hash=sha256:{hashlib.sha256(data()).hexdigest()} # via x"
    yield lambda: f"![](data:image/png;base64,{base64.b64encode(chance.randbytes(600)).decode()})"
    yield lambda: f"next_page_{'token'}: {some(LETTERS, 32)}"
    yield (lambda: f"Order {some(CAPITALS, 12)}, parcel {some(string.digits, 20)}")
    yield lambda: f"api_{'key'} = your-api-key-{some(string.digits, 4)}"
    yield lambda: f"pass{'word'} = ${{DB_PASSWORD_{some(string.digits, 2)}}}"
    yield lambda: f"tok{'en'} = os.environ['TOKEN_{some(CAPITALS, 5)}']"
    yield lambda: f"gh{'p_'}{'x' * chance.randint(30, 40)} is a placeholder"
    yield (lambda: f"https://example.org/{some(URL_SAFE, 24)}/v2?p={some(HEX, 16)}")
    yield lambda: f"| {uuid.UUID(some(HEX, 32))} | {some(HEX, 32)} | {some(string.digits, 13)} |"
    yield lambda: f'checksum = "{hashlib.md5(data()).hexdigest()}" size={some("123456789", 6)}'
    yield lambda: f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{some(LETTERS, 43)} ann@laptop"
    yield (lambda: f"Deploy {some(string.digits, 3)} of the token bucket. The secret: tests.")
    yield (lambda: f"^lc-{some(HEX, 8)}-b4 on branch {some(string.ascii_lowercase, 24)}")
    yield lambda: f"DE00{some(string.digits, 18)} is no account number"
    yield (lambda: f"var uuid_{some(HEX, 8)} = '{uuid.UUID(some(HEX, 32))}'; // {some(HEX, 24)}")
