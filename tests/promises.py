"""What vaultmem promises. A test that proves one is marked with its name: `@promise("kept")`."""

from __future__ import annotations

import pytest

promise = pytest.mark.promise

PROMISES = {
    "kept": "A note that was acknowledged is there after the process was killed.",
    "whole": "Nobody who reads sees half a note.",
    "untouched": "Bytes that were not meant to change do not change.",
    "newest": "An edit that was made on an old version never overwrites a newer one.",
    "logged": "Every entry of the log that was acknowledged is read back once; a torn one is told.",
    "rebuilt": "Deleting the state of the indexes loses nothing: the answers are the same again.",
    "equal": "Once the vault is quiet, the indexes equal it.",
    "alone": "A broken, hostile or huge file costs that file alone.",
    "vanished": "A vault that is not there any more deletes nothing.",
    "erased": "`erase` leaves no byte of the text in the state, and lists what it cannot reach.",
    "inside": "No tool reads or writes outside of the vault, its state and the allowed roots.",
    "data": "Nothing that a note holds is ever executed.",
    "quiet": "Nothing is asked of a network unless a command says so.",
    "undone": "Sleep is whole or absent, and can be taken back.",
    "apart": "Two vaults never share a state.",
    "full": "A full disk leaves the vault readable, and is told.",
    "named": "`doctor` finds every damage, and `--repair` deletes no text of a person.",
    "bounded": "Each tool answers or fails within its limits.",
    "trusted": "Untrusted text never stands above an approved answer that is strong.",
}
