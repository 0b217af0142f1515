"""Moments: local in the vault's zone in a note, with an offset wherever an agent reads them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Protocol
from zoneinfo import ZoneInfo

from vaultmem.words.errors import BadInput, ConfigError


class Clock(Protocol):
    """What tells the time; tests bring their own."""

    def __call__(self) -> datetime:
        """Return the present moment with its zone."""
        ...


def system_clock() -> datetime:
    """Return the present moment in UTC."""
    return datetime.now(UTC)


def zone(name: str) -> tzinfo:
    """Return the zone of an IANA name.

    Raises:
        ConfigError: this machine knows no such zone.
    """
    if name.upper() == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except Exception:  # zoneinfo raises several kinds for a bad name
        raise ConfigError(
            f"The time zone {name!r} is unknown on this machine. Use a name such as "
            "Europe/Berlin in `timezone`, or install the package tzdata."
        ) from None


def local(moment: datetime, where: tzinfo) -> str:
    """Return a moment as a note holds it: `2026-11-30T02:14:07`, local, without offset."""
    return moment.astimezone(where).strftime("%Y-%m-%dT%H:%M:%S")


def offset(moment: datetime, where: tzinfo) -> str:
    """Return a moment as an agent reads it: `2026-11-30T02:14:07+07:00`."""
    return moment.astimezone(where).isoformat(timespec="seconds")


_MOMENT = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?)?(?: ?(Z|[+-]\d\d:?\d\d))?"
)


@lru_cache(maxsize=16_384)
def parsed(text: str, where: tzinfo = UTC) -> datetime | None:
    """Return the moment that a note's text means, None if it means none.

    A bare date is its first second; a time without an offset is local in `where`.
    """
    match = _MOMENT.fullmatch(text.strip())
    if not match:
        return None
    day, time, shift = match.groups()
    if shift and not time:
        return None
    try:
        moment = datetime.fromisoformat(f"{day}T{time or '00:00:00'}{shift or ''}")
        aware = moment if moment.tzinfo else moment.replace(tzinfo=where)
        aware.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return aware


@lru_cache(maxsize=16_384)
def seconds(text: str, where: tzinfo = UTC) -> float | None:
    """Return the moment that a note's text means in seconds since 1970, None if it means none."""
    moment = parsed(text, where)
    return moment.timestamp() if moment else None


def bounds(text: str, where: tzinfo) -> tuple[datetime, datetime]:
    """Return the first moment a text means and the first one after it; a date means its whole day.

    Raises:
        BadInput: it is no date.
    """
    start = parsed(text, where)
    if start is None:
        raise BadInput(f"{text!r} is no date. Use 2026-11-30 or 2026-11-30T14:05:00+07:00.")
    length = timedelta(days=1) if len(text.strip()) == 10 else timedelta(seconds=1)
    try:
        return start, start + length
    except OverflowError:
        return start, start
