"""A scope says which project a memory is true for; its name is also a folder under `memory/`.

The name comes from the git remote, so that every clone of a repository shares one scope however
it was cloned, or from a person. It is made of segments that are safe folder names on every
operating system and inside a wikilink, and it is case-folded, because some disks are.
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from collections.abc import Iterable
from urllib.parse import unquote

from vaultmem.words.errors import BadInput
from vaultmem.words.slug import folded

GLOBAL = ""
GLOBAL_FOLDER = "global"
LONGEST = 200
LONGEST_SEGMENT = 200  # bytes; file systems stop at 255
LONGEST_TYPED = 2000

_DEFAULT_PORTS = {"http": 80, "https": 443, "git": 9418, "ftp": 21, "ftps": 990}
_SSH = {"ssh", "ssh+git"}
_SSH_OVER_HTTPS = {
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
}
_URL = re.compile(r"([a-z][a-z0-9+.-]*)://([^/]*)/(.*)", re.IGNORECASE | re.DOTALL)
_SCP = re.compile(r"(?:[^/\[]*@)?(\[[^\]/]*\]|[^:/\\\[\]]+):(?!:)(.*)", re.DOTALL)
_TOO_LONG = (
    f"That scope name is too long. Use at most {LONGEST} characters, "
    f"and at most {LONGEST_SEGMENT} bytes between two slashes."
)
_DRIVE = re.compile(r"[a-z]:", re.IGNORECASE)
_FORBIDDEN = re.compile(
    "["
    r'<>:"/\\|?*'  # Windows
    r"·%#^\[\]"  # url escapes and wikilinks
    r"\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"
    "]+"
)
_DEVICES = {"con", "prn", "aux", "nul", "conin$", "conout$"} | {
    f"{name}{number}" for name in ("com", "lpt") for number in "0123456789¹²³"
}


def from_remote(url: str) -> str | None:
    """Return the scope of a git remote, as `host/org/repo`, or None where it names no host.

    Credentials, queries, default ports and `.git` are never part of it.
    """
    if len(url) > LONGEST_TYPED:
        return None
    address, *query = re.split(r"[?#]", url.strip(), maxsplit=1)
    found = _parts_of_url(address) if "://" in address else _parts_of_scp(address)
    if found is None:
        return None
    host, path = found
    if any("@" in part for part in [*path, *query]):  # what stands before it may be a password
        return None
    segments = _safe(path)
    place = _segment(host)
    if not place or not segments:
        return None
    if place in (GLOBAL_FOLDER, "local"):  # names that are ours
        place += "_"
    scope = "/".join([place, *segments])
    return None if _too_long(scope) else scope


def clean(name: str) -> str:
    """Return the one spelling of a scope that a person typed; "" and "global" are the global one.

    A remote's url is understood too. Raises BadInput where no usable name is left.
    """
    if not name:
        return GLOBAL
    if len(name) > LONGEST_TYPED:
        raise BadInput(_TOO_LONG)
    segments = _typed(name)
    if not segments:
        raise BadInput(
            "That is no usable scope name. Write it like github.com/acme/api or local/notes, "
            "or leave it empty for the global scope."
        )
    if segments == [GLOBAL_FOLDER]:
        return GLOBAL
    if segments[0] == GLOBAL_FOLDER:  # it would lie inside the global scope's folder
        segments[0] += "_"
    scope = "/".join(segments)
    if _too_long(scope):
        raise BadInput(_TOO_LONG)
    return scope


def folder_of(scope: str) -> str:
    """Return the folder of a scope, relative to `memory/`."""
    return scope or GLOBAL_FOLDER


def sees(reader: str, scope: str) -> bool:
    """Return whether a reader in one scope may see another: its own and the global one."""
    return scope == GLOBAL or folded(scope) == folded(reader)


def _parts_of_url(url: str) -> tuple[str, list[str]] | None:
    match = _URL.fullmatch(url)
    if match is None:
        return None
    scheme, authority, path = match[1].lower().removeprefix("git+"), match[2], match[3]
    if scheme not in _SSH and scheme not in _DEFAULT_PORTS:
        return None
    found = _host_and_port(authority)
    if found is None:
        return None
    host, port = found
    if scheme not in _SSH and port not in (None, _DEFAULT_PORTS[scheme]):
        host = f"{host}-{port}"
    return host, [unquote(part) for part in path.split("/")]


def _parts_of_scp(remote: str) -> tuple[str, list[str]] | None:
    """Return host and path of `user@host:path`, the form that only ssh has."""
    match = _SCP.fullmatch(remote)
    if match is None or _DRIVE.match(remote):
        return None
    bracketed = match[1].startswith("[") and not _is_ipv6(match[1][1:-1])
    found = _host_and_port(match[1][1:-1] if bracketed else match[1])
    return (found[0], match[2].split("/")) if found else None


def _host_and_port(authority: str) -> tuple[str, int | None] | None:
    """Return them without the credentials, or None where the port is no number."""
    place = authority.rpartition("@")[2]
    if place.startswith("["):
        host, closed, port = place[1:].partition("]")
        if not closed or not _is_ipv6(host) or (port and port[0] != ":"):
            return None
        host, port = ipaddress.IPv6Address(host).compressed.replace(":", "-"), port[1:]
    else:
        host, _, port = place.partition(":")
        host = host.rstrip(".").lower()
    if re.search(r"[\s\\]", host) or not re.fullmatch(r"[0-9]{0,5}", port):
        return None
    return _SSH_OVER_HTTPS.get(host, host), int(port) if port else None


def _is_ipv6(host: str) -> bool:
    try:
        ipaddress.IPv6Address(host)
    except ValueError:
        return False
    return True


def _typed(name: str) -> list[str]:
    scope = from_remote(name)
    if scope is None and re.search(r"://|:.*@", name):  # its pieces may hold a password
        return []
    return scope.split("/") if scope else _safe(name.replace("\\", "/").split("/"))


def _safe(parts: Iterable[str]) -> list[str]:
    """Return the segments without `.git` at the end, or nothing if one of them is unusable."""
    kept = [part for part in parts if part.strip()]
    while kept and kept[-1].lower() == ".git":  # a checkout's own folder
        kept.pop()
    segments = [_segment(part) for part in kept]
    while segments and segments[-1].endswith(".git"):
        segments[-1] = _segment(segments[-1].removesuffix(".git"))
    return segments if all(segments) else []


def _segment(text: str) -> str:
    """Return one folder name that is safe everywhere, or "" where nothing is left of it."""
    visible = "".join(c for c in text if unicodedata.category(c) != "Cf")
    text = folded(" ".join(visible.split()))
    if not _FORBIDDEN.sub("", text).strip(" ."):
        return ""
    text = _FORBIDDEN.sub("-", text).rstrip(" .")
    text = re.sub(r"^[.-]+", "_", text)
    stem, dot, rest = text.partition(".")
    if stem.strip() in _DEVICES:
        text = f"{stem.strip()}_{dot}{rest}"
    return f"{text}_" if text.endswith(".md") else text  # else it could be the path of a note


def _too_long(scope: str) -> bool:
    longest = max(len(segment.encode()) for segment in scope.split("/"))
    return len(scope) > LONGEST or longest > LONGEST_SEGMENT
