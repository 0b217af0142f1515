"""A server that holds a vault on this machine, as the other servers of it are told."""

from __future__ import annotations

import hashlib
import hmac
import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Serving:
    """Where a server listens, and the secret of its process that lets this user's programs in."""

    host: str
    port: int
    secret: str
    version: str
    pid: int

    def proof(self, nonce: str) -> str:
        """Return what only who knows the secret can answer to a nonce."""
        return hmac.new(self.secret.encode(), nonce.encode(), hashlib.sha256).hexdigest()

    def text(self) -> str:
        """Return it as a file holds it."""
        return json.dumps(asdict(self))


def serving(text: str) -> Serving | None:
    """Return what such a file says, None if it says nothing that can be used."""
    try:
        found = Serving(**json.loads(text))
    except (TypeError, ValueError):
        return None
    good = isinstance(found.port, int) and isinstance(found.pid, int)
    return found if good and all(isinstance(t, str) for t in (found.host, found.secret)) else None
