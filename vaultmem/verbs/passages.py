"""The text of a passage, read from the vault and not from an index."""

from __future__ import annotations

from vaultmem.sidecar.chunks import LIMIT, passages
from vaultmem.sidecar.snapshot import Snapshot
from vaultmem.verbs.parts import Parts


def text_of(parts: Parts, snapshot: Snapshot, label: int) -> str:
    """Return the lines of a passage, or the part of a line that is too long for one passage.

    Raises:
        NotFound: the note is gone. OutsideVault, DiskFailed.
    """
    chunk = snapshot.chunks[label]
    begin, body = parts.vault.lines(chunk.path)
    lines = body[max(chunk.first - begin, 0) : max(chunk.last - begin + 1, 0)]
    text = "\n".join(lines).strip("\n")
    span = (chunk.first, chunk.last)
    same = [
        other
        for other in snapshot.by_label[chunk.path]
        if (snapshot.chunks[other].first, snapshot.chunks[other].last) == span
    ]
    if len(same) == 1 or len(text.encode("utf-8", "replace")) <= LIMIT:
        return text
    cut = [p.text for p in passages("\n".join(body), begin) if (p.first, p.last) == span]
    return cut[same.index(label)] if len(cut) == len(same) else text
