"""What the doctor saw and mended, as text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from vaultmem.words.safe import shown

if TYPE_CHECKING:
    from vaultmem.memory import Finding, Repaired, Report


def report(found: Report) -> str:
    """Return what the doctor saw."""
    return shown("\n".join([_head(found), *_lines(found.findings), _end(found)]))


def repaired(done: Repaired) -> str:
    """Return what a repair mended, then what it left."""
    found = done.report
    mended = [f"+ {finding.where}: {finding.what}" for finding in done.mended]
    first = f"Mended: {len(mended)}." if mended else "Nothing needed mending that can be mended."
    left = ["Left for you:", *_lines(found.findings)] if found.findings else []
    return shown("\n".join([first, *mended, *left, _head(found), _end(found)]))


def _head(found: Report) -> str:
    model = f"{found.with_vectors} with vectors of {found.model}" if found.model else "no model"
    return f"Notes: {found.notes}. Passages: {found.passages}, {model}."


def _end(found: Report) -> str:
    return "All is well." if found.well else "Something needs mending: see the lines with !."


def _lines(findings: Iterable[Finding]) -> list[str]:
    lines = []
    for finding in findings:
        sign = "·" if finding.harmless else "!"
        lines.append(f"{sign} {finding.where}: {finding.what}\n    {finding.mend}")
    return lines
