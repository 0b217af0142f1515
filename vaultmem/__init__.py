"""vaultmem: a memory for agents that a person can open, because it is a folder of markdown.

One meaning for each word:

vault       the folder the person opens in Obsidian; the only truth
home        the folder inside the vault under which everything of ours lies
note        one markdown file: properties and body
memory      a note in a scope folder that states one fact, decision, fix, preference or goal
own note    any other note of the person: searched as far as allowed, never written
scope       which project a memory is true for; the global scope, "", is true everywhere
catalogue   an `index.md`: the generated table of contents of a scope
live log    the shared, append-only live-context log
chunk       a passage of a note, the unit that is searched
index       a search structure: keyword (Whoosh) or vector (hnswlib)
sidecar     both indexes and their manifest; may be deleted at any time
ledger      the small durable state that is not in notes
refresh     make the sidecar equal the vault
session     one running conversation of an agent; the reader of the live log
candidate   a memory that waits for a person's approval
grade       how far a statement may be trusted: approved, confirmed, imported, inferred, outside
near        saying the same in almost the same words, and differing in no fact
sleep       folding near notes into one parent, which links to its sources
strength    how alive a memory is: importance, decayed by time, kept up by use
relevance   how well a text answers a query
path        relative to the vault, with `/`
hash        sha256 of a file's bytes
limit       a count of hits
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vaultmem.memory import Memory
    from vaultmem.words.errors import VaultmemError
    from vaultmem.words.hit import Hit
    from vaultmem.words.note import Note

__all__ = ["Hit", "Memory", "Note", "VaultmemError"]

_HOMES = {
    "Hit": "words.hit",
    "Memory": "memory",
    "Note": "words.note",
    "VaultmemError": "words.errors",
}


def __getattr__(name: str) -> Any:
    """Return a public name, imported when it is first asked for: commands start faster so."""
    if name not in _HOMES:
        raise AttributeError(f"module 'vaultmem' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"vaultmem.{_HOMES[name]}"), name)
