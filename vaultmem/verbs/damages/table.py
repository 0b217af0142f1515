"""Every kind of damage that the doctor names: what to do about it, and who mends it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

REPAIR = "Run `vaultmem doctor --repair`"
RELOAD = "Run `vaultmem refresh`."
EDIT = "Open {path} in an editor"


class Damage(NamedTuple):
    """One kind of damage."""

    mend: str
    """The sentence that says what to do next, with the names of what it needs."""
    harmless: bool = False
    """Whether everything works in spite of it."""
    ours: bool = False
    """Whether `doctor --repair` mends it; else a person must, since the text is theirs."""


DAMAGES = {
    # properties of a note
    "unreadable": Damage(EDIT + " and mend its properties; it is found by its text.", True),
    "unclosed": Damage(EDIT + " and close its properties with a line `---`.", True),
    "too long": Damage(EDIT + " and shorten its properties.", True),
    "conflict": Damage(EDIT + " and keep one side; nothing changes it before.", True),
    "type": Damage(EDIT + " and give it a type that is known, or leave it.", True),
    "status": Damage(EDIT + " and write working, pending or archived.", True),
    "source": Damage(EDIT + " and take the line `source` out if you stand behind it.", True),
    "importance": Damage(EDIT + " and write a number such as 0.7.", True),
    "date": Damage(EDIT + " and write a date such as 2026-11-30.", True),
    "id": Damage(EDIT + " and take the line `id` out; it gets one when it is changed.", True),
    "tags": Damage(EDIT + " and keep the tags that you search by.", True),
    "copied id": Damage(REPAIR + ", which gives it an id of its own, or delete it.", ours=True),
    "another's id": Damage("Delete it, or its line `id`; until then it goes by its path."),
    "dangling": Damage('Run `vaultmem unrelate "{path}" {relation} "{target}"`.'),
    "source gone": Damage("Read {path} again: what it says may rest on the note that is gone."),
    "other scope": Damage(EDIT + ": it says so to nobody there; relate notes of one scope.", True),
    "circle": Damage('Take one of its relations out: `vaultmem graph "{path}"` shows them.'),
    "stale": Damage("Read it again; mend its text, or retract it with `retracted: why`.", True),
    # bytes and text of a note
    "utf-16": Damage("Save {path} as UTF-8 in an editor.", True),
    "not utf-8": Damage("Save {path} as UTF-8 in an editor.", True),
    "not text": Damage("Give {path} the ending of what it is, or delete it.", True),
    "nul": Damage(EDIT + " and delete them; a crash may have written them.", True),
    "too large": Damage("Split {path}, so that its text can be searched.", True),
    "secret": Damage("Take it out of {path}, which agents read, into a password store.", True),
    "remote image": Damage("Keep the picture in the vault, or take the line out.", True),
    "active": Damage(EDIT + " and take it out, unless you want it to run in Obsidian.", True),
    "odd": Damage(EDIT + " and look at it.", True),
    # files
    "sync copy": Damage("Bring what is new in it into {original}, then delete it."),
    "link": Damage("Put the file itself there if it should be found.", True),
    "irregular": Damage("Replace it by a file if it should be found.", True),
    "hard link": Damage("Copy the file there, so that a change of one is none of the other.", True),
    "name": Damage("Rename it if it should be found.", True),
    "unlisted": Damage("Give yourself the right to list it."),
    "folder": Damage("Rename the folder: Obsidian and links take such a name for a note.", True),
    "clash": Damage("Rename one of the two: some disks and sync tools keep only one.", True),
    "unread": Damage("Give yourself the right to read it, or mend the disk."),
    "elsewhere": Damage("Nothing: uses and what was read are counted on each machine.", True),
    "unwatched": Damage("Nothing: each question looks at the whole vault, so it is right.", True),
    "returned": Damage('Run `vaultmem erase "{path}"`, or to keep it `vaultmem restore "{path}"`.'),
    "left over": Damage(REPAIR + ", or delete it.", True, ours=True),
    # inbox
    "stuck": Damage(EDIT + ", or use `vaultmem review`.", True),
    "refused": Damage(EDIT + ", or use `vaultmem review`."),
    "approved": Damage(RELOAD, True, ours=True),
    "working": Damage("Move it into its scope folder if you approve it: `vaultmem review`.", True),
    "astray": Damage("Move it into the folder of an agent, or into a scope folder.", True),
    "pending": Damage("Write `status: working` into it if it holds.", True),
    # catalogues
    "behind": Damage(RELOAD, True, ours=True),
    "unmarked": Damage("Add the lines `{begin}` and `{end}` if you want it kept up to date.", True),
    "half marked": Damage(EDIT + " and add the line `{missing}`: until then nothing is listed."),
    "lost scope": Damage(REPAIR + ", which writes its `index.md` anew.", ours=True),
    "no scope": Damage("Move its notes into a scope folder, or leave them global.", True),
    "two folders": Damage("Move the notes into one of them and delete the other."),
    # live log and decisions
    "torn": Damage("Tell it again if it matters, then delete the line; it costs no entry."),
    "torn decision": Damage("Compare it with the live log, then mend the line.", True),
    "glued": Damage(REPAIR + ", which puts each on a line of its own.", ours=True),
    "unended": Damage(REPAIR + "; the next entry ends it too.", True, ours=True),
    "nul line": Damage("Delete the line: a crash left it, and no entry is in it.", True),
    "edited": Damage("Compare {path} with its history; entries are corrected by new entries."),
    "removed": Damage("Bring it back from history or a backup; nobody removes an entry."),
    "typed": Damage("Leave it if you typed it.", True),
    "doubled": Damage(RELOAD, ours=True),
    "disordered": Damage(RELOAD, True, ours=True),
    "month": Damage(RELOAD, True, ours=True),
    "orphan": Damage("Delete it if nobody needs it: no entry leads to it.", True),
    "nobody": Damage("Delete it, or rename it to the agent that it is of.", True),
    # pages of the vault
    "missing": Damage(REPAIR + ", which writes it anew.", True, ours=True),
    "attributes": Damage(REPAIR + ", which adds them.", True, ours=True),
    "settings": Damage(REPAIR + ", which wrote them again.", ours=True),
    # what is derived or private
    "losses": Damage("If you did not move them, look into your backup or git."),
    "index": Damage("Nothing needs to be done: it was made anew from the notes.", True),
    "unequal": Damage("Run `vaultmem refresh --rebuild`.", ours=True),
    "vectors": Damage(RELOAD, True, ours=True),
    "graph": Damage(RELOAD, True, ours=True),
    "language": Damage("{how}.", True),
    "model": Damage("Mend that; until then notes are found by keyword.", True),
    "rights": Damage(REPAIR + ", which takes the right away.", ours=True),
    "ledger": Damage(REPAIR + ": the file is set aside, and what can be read is kept.", ours=True),
    "lock": Damage(REPAIR + ", which sets it aside.", ours=True),
    # git
    "merge": Damage("Finish it with git, then run `vaultmem refresh`."),
    "uncommitted": Damage("Mend that, then run `vaultmem git commit`."),
}


@dataclass(frozen=True)
class Finding:
    """One thing that is odd: where, what, and what mends it."""

    kind: str
    path: str
    what: str
    mend: str
    harmless: bool = False
    """Whether everything works in spite of it."""
    line: int = 0
    """0 where it is not on one line."""

    @property
    def where(self) -> str:
        """The path, with the line where there is one."""
        return f"{self.path}:{self.line}" if self.line else self.path

    @property
    def ours(self) -> bool:
        """Whether `doctor --repair` mends it."""
        return DAMAGES[self.kind].ours


def found(kind: str, path: str, what: str, line: int = 0, **named: str) -> Finding:
    """Return a finding of a kind; `named` is what its sentence of advice needs."""
    damage = DAMAGES[kind]
    return Finding(kind, path, what, damage.mend.format(path=path, **named), damage.harmless, line)
