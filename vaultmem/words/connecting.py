"""What a person asks `connect` for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ConnectWish:
    """Which host to connect, and how."""

    host: str
    project: bool = False
    """Whether in the settings of the project, not in the person's own."""
    agent: str = ""
    http: str = ""
    """The address of a server, instead of one that the host starts."""
    token_env: str = "VAULTMEM_TOKEN"  # noqa: S105  # the name of a variable, not a token
    dry_run: bool = False
    force: bool = False
    """Whether to write although the host does not seem to be installed."""
