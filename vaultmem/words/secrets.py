"""Credentials in a text: which kinds it holds, never what they are.

Three ways to know one: a format that its issuer made recognisable, a checksum, or a name such as
`password` that is given a value no word or identifier looks like. Base64 is looked into once.
Every repetition below is bounded, so the time grows with the length of the text alone.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator

from vaultmem.words.errors import SecretFound

_END = r"(?![A-Za-z0-9])"
_FORMATS = {
    "AWS access key": rf"(?:AKIA|ASIA)[A-Z0-9]{{16}}{_END}",
    "GitHub token": r"gh[opsur]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{22,255}",
    "GitLab token": r"gl(?:pat|dt|rt|ptt|cbt|ft|soat|agent)-[A-Za-z0-9_-]{20,100}",
    "Anthropic key": r"sk-ant-[A-Za-z0-9_-]{20,200}",
    "OpenAI key": r"sk-(?:(?:proj|svcacct|admin|or)-[A-Za-z0-9_-]{20,250}|[A-Za-z0-9]{20,200})",
    "Slack token": r"xox[abeoprs]-[A-Za-z0-9-]{10,250}|xapp-[0-9]-[A-Za-z0-9-]{20,250}",
    "Slack webhook": r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/]{24,200}",
    "Discord webhook": r"discord(?:app)?\.com/api/webhooks/[0-9]{17,20}/[A-Za-z0-9_-]{60,100}",
    "Telegram bot token": r"[0-9]{8,10}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])",
    "Google key": r"AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])|GOCSPX-[A-Za-z0-9_-]{28}"
    r"|ya29\.[A-Za-z0-9_-]{30,400}",
    "Stripe key": r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,250}|whsec_[A-Za-z0-9+/]{32,64}",
    "npm token": rf"npm_[A-Za-z0-9]{{36}}{_END}",
    "PyPI token": r"pypi-[A-Za-z0-9_-]{50,400}",
    "SendGrid key": r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{30,64}",
    "Twilio key": rf"SK[0-9a-f]{{32}}{_END}",
    "Hugging Face token": rf"hf_[A-Za-z0-9]{{34}}{_END}",
    "DigitalOcean token": rf"do[opr]_v1_[0-9a-f]{{64}}{_END}",
    "Vault token": r"hv[bs]\.[A-Za-z0-9_-]{24,300}",
    "Atlassian token": r"ATATT3[A-Za-z0-9_=-]{60,400}",
    "Groq key": r"gsk_[A-Za-z0-9]{40,80}",
    "age key": rf"AGE-SECRET-KEY-1[A-Z0-9]{{58}}{_END}",
    "JSON web token": r"eyJ[A-Za-z0-9_-]{8,800}\.eyJ[A-Za-z0-9_-]{8,3000}\.[A-Za-z0-9_-]{16,800}",
}
_FORMAT = re.compile(
    r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))"  # a word begins, also behind an escaped line break
    f"(?:{'|'.join(f'({shape})' for shape in _FORMATS.values())})"
)

_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d"
)
_KEY_BODY = re.compile(r"[A-Za-z0-9+/]{24}")

_CHOSEN = (
    r"passw(?:or)?d|passphrase|passcode|pwd|(?<![a-z])(?<![a-z]\ )pass|passwort|kennwort"
    r"|contraseña|mot\ de\ passe|пароль|รหัสผ่าน|密码|パスワード|비밀번호"
)
_GENERATED = (
    r"secret|token|credentials?|account_?key"
    r"|(?:api|app|auth|access|encryption|license|master|private|service|signing|storage)[\ _-]?key"
)
_NAME = rf"(?:(?P<chosen>{_CHOSEN})|(?P<generated>{_GENERATED}))"
_VALUE = r"""\\?(?:"([^"\n]{1,300})"|'([^'\n]{1,300})'|`([^`\n]{1,300})`|([^\s"'`&,;<>|]{1,300}))"""
_ASSIGNED = re.compile(
    rf"""{_NAME}
    (?:[_-]?(?:key|value|base))?(?:[_-]?base)?[_-]?[0-9]?  # SECRET_KEY_BASE, PASSWORD_2
    \\?["'`*_\])]{{0,4}}\s{{0,4}}
    (?::\s{{0,3}}[A-Za-z_]{{1,20}}\s{{0,3}}=|=>|:=|={{1,3}}|[:：|]|(?P<prose>\bis\b:?))
    [*_]{{0,2}}\s{{0,4}}(?={_VALUE})""",
    re.IGNORECASE | re.VERBOSE,
)
_FLAG = re.compile(
    rf"(?:--(?:[a-z]{{1,12}}-)?|\blogin\s{{1,3}}\S{{1,80}}\s{{1,3}}){_NAME}(?P<prose>)\s{{1,3}}"
    rf"(?={_VALUE})",
    re.IGNORECASE | re.VERBOSE,
)
_STEMS = (
    "pass", "pwd", "kennwort", "contraseña", "mot de", "пароль", "รหัสผ่าน", "密码", "パスワード",
    "비밀번호", "secret", "token", "credent", "key",
)  # fmt: skip
"""One of them stands in every text that names a credential: to look for them first is quick."""
_NO_SECRET = re.compile(
    r"(?:next|page|continuation|cancellation|csrf|xsrf|idempotency|sync|resume|public(?:key)?)"
    r"[ _-]?$",
    re.IGNORECASE,
)
_HEADER = re.compile(
    r"(?:authorization\W{1,6}(?:basic|token|bearer|apikey)?|\bbearer)\s{1,3}"
    r"([A-Za-z0-9._~+/=-]{12,400})",
    re.IGNORECASE,
)
_IN_URL = re.compile(
    r"://([^\s/:@,\[]{0,100}):([^\s/@,\[]{1,200})@(?!sha256:)|https?://([^\s/:@]{20,200})@"
)

_PLACEHOLDER = re.compile(
    r"example|change.?me|placeholder|redacted|dummy|your[^a-z]|your(?:key|token|secret|api|pass)|fake(?![a-z])|x{4}|\*{3}|\.{3}|…"
    r"|abc123|abcdef|deadbeef|[<>]|\$\{|\$\(|\{\{|^%|^\$\w+$",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"(?:os|env|process|config|settings|self|this|ctx|args)[.\[]|~|\.{0,2}/[a-z._-]+(?:/|$)|\w{2,10}://"
    r"|arn:|vault:|projects/|(?:sha\d{1,3}|md5)[:-]",
    re.IGNORECASE,
)
_CODE = re.compile(r"[()\[\]{}]|->")
_COMMON_WORDS = frozenset(
    ("admin", "demo", "pass", "passwd", "password", "pwd", "secret", "test", "token", "user")
)
_TECHNICAL = re.compile(
    r"aes|argon|base|bcrypt|hash|hmac|login|md|oauth|pass|pbkdf|rsa|scrypt|sha|user|utf|version"
    r"|.*(?:bits?|bytes?|chars?|characters|digits|days|hours|minutes|password)$",
    re.IGNORECASE,
)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_WORD_AND_NUMBER = re.compile(r"[A-Za-z]{4,}[0-9]{1,6}|[0-9]{1,6}[A-Za-z]{4,}")
_TURN = re.compile(r"(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
_HUMP = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")

_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}(?!00|01|99)[0-9]{2}(?: ?[A-Z0-9]){11,30}")
_IBAN_LENGTHS = dict(
    re.findall(
        r"([A-Z]{2})(\d\d)",
        "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 "
        "DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 "
        "IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 "
        "MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 "
        "SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30",
    )
)

_SEED = re.compile(
    r"(?:seed|mnemonic|recovery|wallet)[^\n:=]{0,40}?(?:[:=]|\bis\b:?)", re.IGNORECASE
)
_SEED_LENGTHS = {12, 15, 18, 21, 24}
_NO_SEED_WORDS = {
    "the", "and", "for", "are", "was", "with", "your", "from", "not", "has", "its", "our",
}  # fmt: skip

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
_WRAPPED = re.compile(r"(?<=[A-Za-z0-9+/]{60})\r?\n(?=[A-Za-z0-9+/])")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{24,}")


def secrets_in(text: str) -> list[str]:
    """Return the kinds of credentials that the text holds, sorted; never their values."""
    text = _INVISIBLE.sub("", text)
    kinds = set(_plain(text))
    for hidden in _decoded(text):
        kinds |= set(_plain(hidden))
    return sorted(kinds)


def refuse_secrets(*texts: str) -> None:
    """Raise SecretFound, which names the kinds, if any of the texts holds a credential."""
    kinds = {kind for text in texts for kind in secrets_in(text)}
    if kinds:
        raise SecretFound(sorted(kinds))


def _plain(text: str) -> Iterator[str]:
    for match in _FORMAT.finditer(text):
        if _varied(match[0]):
            yield list(_FORMATS)[(match.lastindex or 1) - 1]
    yield from _assigned(text)
    if any(_has_key_body(text, match.end()) for match in _PRIVATE_KEY.finditer(text)):
        yield "private key"
    if any(_is_credential(match[1]) for match in _HEADER.finditer(text)):
        yield "authorization header"
    if any(_is_login(match) for match in _IN_URL.finditer(text)):
        yield "password in a URL"
    if any(_is_iban(match[0]) for match in _IBAN.finditer(text)):
        yield "IBAN"
    if any(_is_seed(text[match.end() : match.end() + 400]) for match in _SEED.finditer(text)):
        yield "seed phrase"


def _assigned(text: str) -> Iterator[str]:
    folded = text.casefold()
    if not any(stem in folded for stem in _STEMS):
        return
    for pattern in (_ASSIGNED, _FLAG):
        for match in pattern.finditer(text):
            if _NO_SECRET.search(text[max(0, match.start() - 16) : match.start()]):
                continue
            if match["chosen"] and _is_password(match):
                yield "password assignment"
            if match["generated"] and _is_secret(match):
                yield "secret assignment"


def _is_password(match: re.Match[str]) -> bool:
    """A person's choice: letters and digits at least, and not a technical word."""
    value = _value_of(match)
    if len(value) < 6 or not re.search("[A-Za-z]", value) or not re.search("[0-9]", value):
        return False
    if _scrambled(value) or re.search(r"[!@#$%^&*+=?~]", value):
        return True
    simple = _WORD_AND_NUMBER.fullmatch(value) and not _TECHNICAL.match(value.lstrip("0123456789"))
    return bool(simple) and match["prose"] is None


def _is_secret(match: re.Match[str]) -> bool:
    """A machine's choice: long and random. A UUID called a token is too often a mere cursor."""
    value = _value_of(match)
    if _UUID.fullmatch(value):
        return match["generated"].lower() != "token"
    return len(value) >= 16 and _scrambled(value) and _varied(value)


def _value_of(match: re.Match[str]) -> str:
    """Return what is assigned, or "" where it stands for something else."""
    *quoted, bare = match.groups()[-4:]
    value = next((text for text in quoted if text), None)
    if value is None:
        value = str(bare or "").rstrip(".,;:!?*_)")
        if _CODE.search(value):
            return ""
    value = value.removesuffix("\\")
    told = " " in value or _PLACEHOLDER.search(value) or _REFERENCE.match(value)
    return "" if told else value


def _is_credential(value: str) -> bool:
    return _varied(value) and (_scrambled(value) or _mixed(value))


def _is_login(match: re.Match[str]) -> bool:
    user, password, alone = match.groups()
    if alone:
        return _is_credential(alone)
    bare = password.lower().strip("0123456789")
    known = password == user or bare in _COMMON_WORDS or _PLACEHOLDER.search(password)
    return len(password) >= 6 and not known


def _has_key_body(text: str, start: int) -> bool:
    body = text[start : start + 600].partition("-----END")[0]
    return any(_varied(match[0]) for match in _KEY_BODY.finditer(body))


def _is_iban(text: str) -> bool:
    compact = text.replace(" ", "")
    length = int(_IBAN_LENGTHS.get(compact[:2], 99))
    if len(compact) < length:
        return False
    number = compact[:length]
    return int("".join(str(int(c, 36)) for c in number[4:] + number[:4])) % 97 == 1


def _is_seed(text: str) -> bool:
    words: list[str] = []
    for line in re.sub(r"\b\d{1,2}[.):]?\s", " ", text).splitlines():
        for piece in line.split():
            word = piece.strip("\"'`*,.|")
            if not re.fullmatch("[a-z]{3,8}", word) or word in _NO_SEED_WORDS:
                return False
            words.append(word)
        if len(words) in _SEED_LENGTHS:
            return len(set(words)) > len(words) - 3
    return False


def _varied(value: str) -> bool:
    """Return whether a value is neither a placeholder nor words with hyphens."""
    made_up = len(set(value)) < 8 or _PLACEHOLDER.search(value)
    return not made_up and (value.count("-") < 2 or _scrambled(value) or _mixed(value))


def _mixed(value: str) -> bool:
    return all(re.search(kind, value) for kind in ("[a-z]", "[A-Z]", "[0-9]"))


def _scrambled(value: str) -> bool:
    """Return whether letters, cases and digits alternate as in no word or identifier."""
    for piece in re.split(r"[^A-Za-z0-9]+", value):
        humps = _HUMP.findall(piece)
        if len(piece) >= 8 and len(_TURN.findall(piece)) > 2:
            return True
        if len(piece) >= 10 and len(piece) < 2.8 * len(humps):
            return True
    return False


def _decoded(text: str) -> Iterator[str]:
    """Yield what base64 in the text says where that is text again."""
    for match in _BASE64.finditer(_WRAPPED.sub("", text)):
        run = match[0].replace("-", "+").replace("_", "/")
        data = base64.b64decode((run[:-1] if len(run) % 4 == 1 else run) + "===")
        if data[:18].isascii():  # the end may be the next line's word
            yield data.decode(errors="replace")
