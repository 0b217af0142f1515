"""Answers as short markdown, the same at every door."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from vaultmem.words.hit import FRAME as FRAME
from vaultmem.words.hit import Answer, Hit, Receipt
from vaultmem.words.safe import shown, titled

if TYPE_CHECKING:
    from vaultmem.memory import (
        Astray,
        Forgotten,
        Goal,
        Graph,
        Listed,
        Retired,
        Slept,
        Strength,
    )

_UNSAFE = re.compile(
    "[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f"
    "\u200b\u200e\u200f\u2060-\u2064\ufeff]"
)


def as_json(value: Any) -> str:
    """Return compact JSON in which nothing can act on a terminal."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _UNSAFE.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    return json.dumps(match.group())[1:-1]


def answer(found: Answer) -> str:
    """Return the hits of a question, or a sentence that there are none."""
    blocks = [_hit(number, hit) for number, hit in enumerate(found.hits, 1)]
    if not blocks and not found.dropped:
        blocks = ["Nothing in the vault answers that."]
    if found.dropped:
        more = "more did not fit the budget" if blocks else "found, too long for the budget"
        blocks.append(f"{found.dropped} {more}: raise budget_tokens.")
    if found.note:
        blocks.append(shown(found.note))
    return "\n\n".join(blocks)


def _hit(number: int, hit: Hit) -> str:
    first, last = hit.lines
    where = f"{hit.path}:{first}" + (f"-{last}" if last != first else "")
    heading = f" · {titled(hit.heading)}" if hit.heading else ""
    called = hit.id if hit.id != hit.path else "no id"
    lines = [
        f"{number}. **{titled(hit.title)}** [{hit.label} · {hit.confidence}] {called}",
        f"   {where}{heading}",
        *([f"   {hit.origin} ({hit.fetched}) {hit.link}"] if hit.origin else []),
    ]
    lines += [f"   > {line}" for line in hit.text.splitlines() if line.strip()]
    if hit.stands_for > 1:
        lines.append(f"   ({hit.stands_for} notes say this, nearly word for word)")
    if hit.why:
        lines.append("   " + ", ".join(f"{name} {value:g}" for name, value in hit.why))
    lines += [f"   ↔ {n.relation} {titled(n.title)} ({n.id})" for n in hit.neighbours]
    return shown("\n".join(lines))


def receipt(done: Receipt, verb: str = "Kept") -> str:
    """Return what became of a note, with the hash that its next change must name."""
    if not done.kept:
        return shown("\n".join(["Not kept: the vault says nearly this already.", *_similar(done)]))
    verb = "Waits for a person:" if done.status == "pending" else verb
    if done.seen:
        verb = "Known already:"
    times = "once" if done.seen == 1 else f"{done.seen} times"
    again = f", said again {times}" if done.seen else ""
    line = f"{verb} {done.id} in {done.path} ({done.status}, hash {done.hash}{again})"
    near = [f"Near it: {note.title} ({note.id})" for note in done.similar]
    return shown("\n".join([line, *near]))


def _similar(done: Receipt) -> list[str]:
    """Return the lines that show what is there, and how to go on."""
    lines = []
    for note in done.similar:
        lines += [f"- {note.title} ({note.id}, hash {note.hash})", f"  > {first_line(note.text)}"]
    return [
        *lines,
        "To correct it give its id and hash; if it no longer holds, relate to it with "
        "`supersedes: ID because WHY`; if both hold, set allow_similar.",
    ]


def first_line(text: str) -> str:
    """Return the first line of a text, at most 200 characters of it."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")[:200]


def listed(found: Sequence[Listed]) -> str:
    """Return what would be forgotten."""
    if not found:
        return "Nothing of yours matches, so nothing would be forgotten."
    lines = [f"- {item.id} {item.title} ({item.path})" for item in found]
    return shown("\n".join(["These would go to the trash:", *lines]))


def forgotten(found: Sequence[Forgotten]) -> str:
    """Return what went to the trash, and how to bring it back."""
    lines = [f"- {item.title}: {item.trash}; back with `{item.restore}`" for item in found]
    return shown("\n".join(["Moved to the trash:", *lines]))


def strength(found: Strength) -> str:
    """Return how strong a note is, and what that is made of."""
    part = found.as_dict()
    last = part["last_use"] or "never"
    lines = [
        f"{found.title} ({found.id}): strength {part['strength']:g}, ranks as {part['ranks_as']:g}",
        f"  importance {part['importance']:g}",
        f"  x {part['decay']:g}: {part['days']:.1f} days since its last use or change, half-life "
        f"{part['half_life_days']} days",
        f"  x {part['lift']:g}: {part['uses']} uses, last {last}; 1 + {part['boost']} ln(1 + uses)",
        f"  never below {part['floor']:g}",
    ]
    return shown("\n".join(lines))


def astray(found: Sequence[Astray]) -> str:
    """Return the files that are not where memories say, and what may be done."""
    if not found:
        return "Every file that a memory of this project names is there."
    lines = [f"{item.id} {item.title}: {item.file} {_went(item)}" for item in found]
    if any(item.moved_to and not item.written and not item.refused for item in found):
        lines.append("Nothing was changed; `vaultmem files --apply` writes the new paths.")
    return shown("\n".join(lines))


def _went(item: Astray) -> str:
    if item.moved_to:
        done = ", written" if item.written else ""
        return f"moved to {item.moved_to}{done}" + (f"\n  {item.refused}" if item.refused else "")
    if not item.followed:
        return "gone, and there was no time left to look for it; run again"
    return f"gone since {item.gone_since}" if item.gone_since else "gone"


def faded(found: Sequence[Retired]) -> str:
    """Return the memories that may be put away, and how to do it."""
    if not found:
        return "Nothing to put away."
    lines = [f"{item.id} {item.title}: {', '.join(item.reasons)}" for item in found]
    lines.append(
        "Nothing was changed; `vaultmem cleanup --yes` archives all of these, "
        "`vaultmem archive ID` some."
    )
    return shown("\n".join(lines))


def archived(done: Sequence[Retired]) -> str:
    """Return what was put away, and how to bring it back."""
    lines = [f"Archived {i.id} {i.title}; back with `vaultmem unarchive {i.id}`" for i in done]
    return shown("\n".join(lines))


def graph(found: Graph) -> str:
    """Return the notes around one as lines, each link once."""
    titles = found.titles
    lines = [f"{titles[found.start]} ({found.start})"]
    lines += [
        f"- {titles[e.source]} → {e.kind} → {titles[e.target]} ({e.target})" for e in found.edges
    ]
    if len(lines) == 1:
        lines.append("Nothing links to it, and it links to nothing.")
    if found.more:
        lines.append(f"{found.more} more notes were left out: take a smaller depth.")
    return shown("\n".join(lines))


def goals(found: Sequence[Goal]) -> str:
    """Return the goals, and under each what was found."""
    lines = []
    for goal in found:
        state = f"closed by {goal.closed_by}" if goal.closed_by else "open"
        if goal.waiting and not goal.closed_by:
            state = f"open; {goal.waiting} would close it, but is of a lower grade"
        lines.append(f"- {goal.title} ({goal.id}, {goal.scope or 'global'}): {state}")
        lines += [f"  - {title} ({name})" for name, title in goal.findings]
    return shown("\n".join(lines or ["There are no goals: memorize one with type goal."]))


def slept(done: Slept, *, dry_run: bool) -> str:
    """Return what a sleep did, or would do, with its reasons."""
    lines = []
    for proposal in done.proposals:
        lines.append(f"- {proposal.parent.title} ({proposal.scope or 'global'}): {proposal.reason}")
        lines += [f"  - {path}" for path, _ in proposal.sources]
    left = [f"Left for the next time: {why}" for why in done.skipped]
    if not lines:
        return shown("\n".join(["Nothing to fold: no notes say nearly the same.", *left]))
    if dry_run:
        return shown("\n".join(["These would be folded:", *lines, *left]))
    lines += [
        f"Wrote {path}; `vaultmem sleep --undo {name}` takes it back" for name, path in done.parents
    ]
    return shown("\n".join([*lines, *left]))
