"""Every verb that writes."""

from __future__ import annotations

from vaultmem.memory import init_vault

from .acts import (
    BUCKET,
    BY_HAND,
    CLOSING,
    FIXED,
    GOAL,
    PARENT,
    PROJECT,
    TABS,
    WAITS,
    answer,
    checkpoint_of,
    closes,
    damaged,
    decide,
    edited,
    follow,
    followed,
    goal,
    gone,
    handed_in,
    has_status,
    let_in,
    moved_file,
    note,
    once,
    own_notes,
    project,
    question,
    related,
    repair,
    said,
    sleep,
    state_of,
    three_copies,
    titled,
    told,
    two_notes,
    typed,
    update,
    whole,
    with_memory,
)
from .in_git import IN_GIT
from .outside import OUTSIDE
from .world import Verb

VERBS: dict[str, Verb] = {
    "memorize": Verb(
        lambda world: note(world, "Retries carry a key", scope="github.com/acme/api"),
        two_notes,
        lambda world: titled(world, "Retries carry a key"),
    ),
    "update": Verb(
        update, two_notes, lambda w: b"bucket of tokens" in (w.root / FIXED).read_bytes()
    ),
    "supersede": Verb(
        lambda world: note(
            world, "It uses a bucket", relates=(f"supersedes: {FIXED} because it was unfair",)
        ),
        two_notes,
        lambda world: titled(world, "It uses a bucket"),
    ),
    "forget": Verb(with_memory("forget", [FIXED]), two_notes, gone),
    "retain": Verb(
        with_memory("retain", "- The staging host loses its clock at each reboot.\n"),
        two_notes,
        lambda w: (w.root / WAITS).exists(),
    ),
    "approve by hand": Verb(
        with_memory("refresh"),
        handed_in,
        typed,
        lambda w: let_in(w) and not (w.root / WAITS).exists(),
    ),
    "review approve": Verb(
        once(lambda w: (w.root / WAITS).exists(), decide("approve", [WAITS])),
        handed_in,
        done=lambda w: (with_memory("refresh")(w), let_in(w))[1],
    ),
    "review reject": Verb(
        once(lambda w: (w.root / WAITS).exists(), decide("reject", [WAITS], "it was the router")),
        handed_in,
        done=lambda w: not (w.root / WAITS).exists(),
    ),
    "restore": Verb(
        with_memory("restore", ".trash/rate-limiting-uses-a-fixed-window.md"),
        lambda world: (two_notes(world), with_memory("forget", [FIXED])(world)),
        lambda world: not gone(world),
    ),
    "erase": Verb(with_memory("erase", FIXED), two_notes, gone),
    "archive": Verb(
        with_memory("archive", [FIXED, TABS]),
        two_notes,
        lambda w: has_status(w, b"archived"),
    ),
    "unarchive": Verb(
        with_memory("unarchive", [FIXED]),
        lambda world: (two_notes(world), with_memory("archive", [FIXED])(world)),
        lambda w: has_status(w, b"working"),
    ),
    "files": Verb(follow, moved_file, followed),
    "relate": Verb(
        with_memory("relate", FIXED, "depends_on", TABS, "it was measured"),
        two_notes,
        done=lambda w: related(w),
    ),
    "unrelate": Verb(
        once(related, with_memory("unrelate", FIXED, "depends_on", TABS)),
        lambda world: (
            two_notes(world),
            with_memory("relate", FIXED, "depends_on", TABS)(world),
        ),
        done=lambda w: not related(w),
    ),
    "sleep": Verb(sleep, three_copies, done=lambda w: (w.root / PARENT).exists()),
    "undo sleep": Verb(
        once(lambda w: (w.root / PARENT).exists(), with_memory("undo_sleep", PARENT)),
        lambda world: (three_copies(world), with_memory("sleep")(world)),
        done=lambda w: not (w.root / PARENT).exists(),
    ),
    "consolidate": Verb(
        once(lambda w: not (w.root / CLOSING).exists(), with_memory("consolidate", GOAL)),
        goal,
        done=lambda w: (w.root / CLOSING).exists(),
    ),
    "log note": told("note", to="scribe"),
    "log decision": told("decision", because="clients gave up"),
    "log checkpoint": told("checkpoint", detail="## Task\nRetries\n"),
    "checkpoint": Verb(
        checkpoint_of("Now", "## Task\nRefunds\n"),
        checkpoint_of("Before", "## Task\nRetries\n"),
        done=lambda w: b"Refunds" in (w.root / "checkpoints/scout.md").read_bytes(),
    ),
    "log state": Verb(
        state_of("The release is frozen", "Until the audit is done.\n"),
        project,
        done=lambda w: b"**The release is frozen**" in (w.root / PROJECT).read_bytes(),
    ),
    "log state of a new project": Verb(
        state_of("The release is frozen", ""),
        two_notes,
        done=lambda w: b"**The release is frozen**" in (w.root / PROJECT).read_bytes(),
    ),
    "log answer": Verb(answer, question, done=lambda world: said(world, "Staging uses 8443 (to ")),
    "log with detail": told("handoff", detail="All that the next one needs to know.\n"),
    "init": Verb(lambda world: init_vault(world.root), vault=False),
    "adopt": Verb(lambda world: init_vault(world.root), own_notes, vault=False),
    "introduce": Verb(
        with_memory("introduce"), done=lambda w: (w.root / "identity/scout.md").is_file()
    ),
    "refresh": Verb(with_memory("refresh"), two_notes, edited),
    "repair": Verb(repair, two_notes, damaged, whole),
    "forget several": Verb(
        with_memory("forget", [FIXED, TABS]),
        two_notes,
        lambda world: gone(world) and not (world.root / TABS).exists(),
    ),
    "erase from the trash": Verb(
        with_memory("erase", ".trash/rate-limiting-uses-a-fixed-window.md"),
        lambda world: (two_notes(world), with_memory("forget", [FIXED])(world)),
        lambda world: not list((world.root / ".trash").iterdir()),
    ),
    "erase what supersedes another": Verb(
        with_memory("erase", BUCKET),
        lambda world: (
            two_notes(world),
            note(world, "It uses a bucket", relates=(f"supersedes: {FIXED}",)),
        ),
        done=lambda world: not (world.root / BUCKET).exists(),
    ),
    "erase a note made by hand": Verb(
        with_memory("erase", BY_HAND),
        lambda world: (two_notes(world), edited(world)),
        done=lambda world: not (world.root / BY_HAND).exists(),
    ),
    "erase a candidate": Verb(
        with_memory("erase", WAITS), handed_in, done=lambda w: not (w.root / WAITS).exists()
    ),
    "retract": Verb(
        with_memory("retract", FIXED, "it was measured again"),
        two_notes,
        done=lambda w: b"retracted:" in (w.root / FIXED).read_bytes(),
    ),
    "reopen": Verb(
        once(lambda w: closes(w), with_memory("reopen", GOAL)),
        lambda world: (goal(world), with_memory("consolidate", GOAL)(world)),
        done=lambda w: not closes(w),
    ),
    "review merge": Verb(
        once(lambda w: (w.root / WAITS).exists(), with_memory("merge", WAITS, FIXED)),
        handed_in,
        done=lambda w: b"loses its clock" in (w.root / FIXED).read_bytes(),
    ),
    "review undo an approval": Verb(
        once(lambda w: not (w.root / WAITS).exists(), decide("undo_review")),
        lambda world: (handed_in(world), with_memory("approve", [WAITS])(world)),
        done=lambda w: (w.root / WAITS).exists(),
    ),
    "review undo a rejection": Verb(
        once(lambda w: not (w.root / WAITS).exists(), decide("undo_review")),
        lambda world: (handed_in(world), with_memory("reject", [WAITS], "no")(world)),
        done=lambda w: (w.root / WAITS).exists(),
    ),
    "review undo a merge": Verb(
        once(lambda w: not (w.root / WAITS).exists(), decide("undo_review")),
        lambda world: (handed_in(world), with_memory("merge", WAITS, FIXED)(world)),
        done=lambda w: (w.root / WAITS).exists(),
    ),
    **OUTSIDE,
    **IN_GIT,
}
