"""Which network addresses a page may be fetched from: those of the public internet.

What the standard library calls global differs between versions of Python, so the networks are
named here, and of IPv6 only the part that is handed out is public at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

_NOT_PUBLIC: dict[str, tuple[str, ...]] = {
    "this machine": ("127.0.0.0/8", "0.0.0.0/8", "::1/128", "::/128"),
    "a private network": (
        *("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"),
        *("fc00::/7", "fec0::/10"),
    ),
    "the local link, where machines keep their credentials": ("169.254.0.0/16", "fe80::/10"),
    "many machines at once": ("224.0.0.0/4", "ff00::/8", "255.255.255.255/32"),
    "reserved": (
        *("192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24"),
        *("203.0.113.0/24", "240.0.0.0/4"),
        *("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"),
    ),
}
_NETWORKS = [(ip_network(net), why) for why, nets in _NOT_PUBLIC.items() for net in nets]
_HANDED_OUT = IPv6Network("2000::/3")
_MAPPED = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"))
"""Where the last four bytes are an IPv4 address that is reached in the end."""


@dataclass(frozen=True)
class Permission:
    """What the person allows beyond the public internet: networks, and names of machines."""

    networks: tuple[IPv4Network | IPv6Network, ...] = ()
    names: frozenset[str] = frozenset()

    @classmethod
    def stated(cls, text: str) -> Permission:
        """Return what a setting says: addresses, networks and names with blanks between.

        Raises:
            ValueError: a word with a slash is no network.
        """
        networks: list[IPv4Network | IPv6Network] = []
        names: set[str] = set()
        for word in text.replace(",", " ").split():
            try:
                networks.append(ip_network(word, strict=False))
            except ValueError:
                if "/" in word or not word.strip("."):
                    raise
                names.add(word.rstrip(".").casefold())
        return cls(tuple(networks), frozenset(names))


def why_refused(name: str, addresses: Iterable[str], permission: Permission) -> str:
    """Return why a machine may not be asked, empty if it may: every address of it must be public.

    `addresses` is all that its name resolves to, so that one good answer hides no bad one.
    """
    if name.rstrip(".").casefold() in permission.names:
        return ""
    for text in addresses:
        if "%" in text:
            return f"{text} is an address of the local link"
        address = ip_address(text)
        if not _permitted(address, permission) and (what := _what(address)):
            return f"its address {text} is {what}"
    return ""


def _permitted(address: IPv4Address | IPv6Address, permission: Permission) -> bool:
    return any(
        address.version == network.version and address in network for network in permission.networks
    )


def _what(address: IPv4Address | IPv6Address) -> str:
    """Return what an address is if it is not public, else nothing."""
    if isinstance(address, IPv6Address) and any(address in network for network in _MAPPED):
        address = IPv4Address(int(address) & 0xFFFFFFFF)
    for network, what in _NETWORKS:
        if address.version == network.version and address in network:
            return what
    if isinstance(address, IPv6Address) and address not in _HANDED_OUT:
        return "reserved"
    return ""
