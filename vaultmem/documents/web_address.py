"""An address on the web, taken apart and checked before anything is asked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, urljoin, urlsplit

from vaultmem.words.errors import BadInput, Refused

_ODD = re.compile(r"[\x00-\x20\x7f\\]")
_SAFE = "/%:@!$&'()*+,;=~?-._"
LONGEST = 2000
PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class WebAddress:
    """One address of a page. The name is in the form that DNS knows."""

    scheme: str
    name: str
    port: int
    target: str
    """What the server is asked for: path and query."""

    @property
    def secure(self) -> bool:
        """Whether nobody can read or change the page on its way."""
        return self.scheme == "https"

    def __str__(self) -> str:
        name = f"[{self.name}]" if ":" in self.name else self.name
        port = "" if self.port == PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{name}{port}{self.target}"


def is_web(source: str) -> bool:
    """Return whether a source is an address of the form `scheme://`, and so no file."""
    return re.match(r"[a-z][a-z0-9+.-]*:(?://|[^\\/.])", source.strip(), re.IGNORECASE) is not None


def web_address(text: str) -> WebAddress:
    """Return an address taken apart.

    Raises:
        BadInput: it is none. Refused: its scheme is another than http or https, or it holds a
            user and a password.
    """
    text = text.strip()
    if _ODD.search(text) or len(text) > LONGEST:
        raise BadInput("An address has no blanks or backslashes, and at most 2,000 characters.")
    try:
        parts = urlsplit(text)
        port, name = parts.port, parts.hostname or ""
    except ValueError:
        raise BadInput(f"{text!r} is no address of a page.") from None
    if parts.scheme not in PORTS:
        raise Refused(f"Only http:// and https:// are fetched, not {parts.scheme or text}.")
    if "@" in parts.netloc:
        raise Refused("An address with a user or a password in it is not fetched. Take them out.")
    if port == 0:
        raise BadInput(f"{text!r} has no usable port.")
    target = quote(parts.path or "/", safe=_SAFE)
    if parts.query:
        target += "?" + quote(parts.query, safe=_SAFE)
    return WebAddress(parts.scheme, _name(name), port or PORTS[parts.scheme], target)


def followed(address: WebAddress, location: str) -> WebAddress:
    """Return where a redirect leads; raises as `web_address` does.

    Raises:
        Refused: it leads from https to http, where others could change the page.
    """
    to = web_address(urljoin(str(address), location.strip()))
    if address.secure and not to.secure:
        raise Refused(f"{address} leads to {to}, which is not https, so it was not followed.")
    return to


def _name(name: str) -> str:
    if not name or "%" in name:
        raise BadInput("The address names no machine.")
    try:
        return name if ":" in name else name.encode("idna").decode("ascii").rstrip(".").lower()
    except UnicodeError:
        raise BadInput(f"{name!r} is no name of a machine.") from None
