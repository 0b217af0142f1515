"""How an agent's token is told: what it is bound to, never the token itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vaultmem.memory import Bound


def bound_line(bound: Bound) -> str:
    """Return one line on what an agent's token is bound to."""
    grant, ends = bound.grant, bound.ends
    return (
        f"{bound.agent}: reads {_scopes(grant.reads)}; writes {_scopes(grant.writes)}; "
        f"{'own notes' if grant.own_notes else 'no own notes'}; "
        f"{f'until {ends:%Y-%m-%d}' if ends else 'does not expire'}"
    )


def bound_value(bound: Bound) -> dict[str, Any]:
    """Return the same as an object."""
    return {
        "agent": bound.agent,
        "reads": _named(bound.grant.reads),
        "writes": _named(bound.grant.writes),
        "own_notes": bound.grant.own_notes,
        "expires": bound.ends.isoformat(timespec="seconds") if bound.ends else None,
    }


def _scopes(scopes: frozenset[str] | None) -> str:
    return ", ".join(_named(scopes)) or "nothing"


def _named(scopes: frozenset[str] | None) -> list[str]:
    return ["*"] if scopes is None else sorted(scope or "global" for scope in scopes)
