"""Retracting: saying in a note that it is wrong, so that what was built on it is read again."""

from __future__ import annotations

from vaultmem.verbs.memorize import announced, writable
from vaultmem.verbs.parts import Parts
from vaultmem.words.errors import BadInput
from vaultmem.words.hit import Receipt
from vaultmem.words.safe import defused
from vaultmem.words.scope import GLOBAL
from vaultmem.words.secrets import refuse_secrets

LONGEST = 500


def retract(parts: Parts, ref: str, why: str) -> Receipt:
    """Say in a memory why it is wrong, or with an empty `why` that it holds again.

    It leaves the catalogue, lowers nobody, and is labelled STALE; so is what was built on it.

    Raises:
        NotFound, Ambiguous, Refused: see `writable`. BadInput: the reason is too long.
    """
    said = defused(" ".join(why.split()))
    if len(said) > LONGEST:
        raise BadInput(f"A reason has at most {LONGEST} characters.")
    refuse_secrets(said)
    parts.sidecar.refresh()
    snapshot = parts.sidecar.snapshot
    path = writable(parts, ref)
    with parts.vault.lock.vault("retract"):
        note = parts.vault.read(path)
        keys = {"retracted": said or None, "updated": parts.now()}
        seen = parts.vault.edit(path, keys, seen=note.hash)
        verb = "retracted" if said else "took back the retraction of"
        announced(parts, snapshot.scope(path) or GLOBAL, verb, path, note.title)
    return Receipt(snapshot.called(path), path, seen, note.status)
