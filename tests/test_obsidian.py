"""What Obsidian does to notes while we share them: renames, re-serialised properties, moves."""

from __future__ import annotations

from pathlib import Path

import yaml

from vaultmem.memory import Memory, Question, Wish


def reserialised(text: str) -> str:
    """Rewrite the properties of a note as Obsidian's property editor does: all of them anew."""
    _, block, body = text.split("---\n", 2)
    values = yaml.load(block, Loader=yaml.BaseLoader)  # strings alone
    lines = []
    for key, value in values.items():
        if isinstance(value, list):
            lines += [
                f"{key}:",
                *(f'  - "{item}"' if "[[" in item else f"  - {item}" for item in value),
            ]
        else:
            quoted = f'"{value}"' if ": " in value else value
            lines.append(f"{key}: {quoted}")
    return "---\n" + "\n".join(lines) + "\n---\n" + body


def rename(root: Path, old: str, new: str) -> None:
    """Rename a note as Obsidian does: the file, and every link to it, properties included."""
    (root / f"{old}.md").rename(root / f"{new}.md")
    for note in root.rglob("*.md"):
        text = note.read_text("utf-8")
        if f"[[{old}" in text:
            note.write_text(reserialised(text.replace(f"[[{old}", f"[[{new}")), "utf-8")


def two_notes(memory: Memory) -> tuple[str, str]:
    old = memory.memorize(
        Wish(title="Limit is a fixed window", content="A fixed window limits requests.")
    )
    new = memory.memorize(
        Wish(
            title="Limit is a token bucket",
            content="A token bucket limits requests.",
            relates=(f"supersedes: {old.id} because bursts got through",),
        )
    )
    return old.id, new.id


def test_a_rename_in_obsidian_leaves_ids_and_relations_whole(memory: Memory, root: Path) -> None:
    old, new = two_notes(memory)

    rename(root, "memory/global/limit-is-a-fixed-window", "memory/global/Old: never mind"[:20])

    hits = {hit.id: hit for hit in memory.remember(Question("limits requests")).hits}
    assert hits[old].label == f"INFERRED · SUPERSEDED by {new}"
    assert [(n.id, n.relation) for n in hits[new].neighbours] == [(old, "supersedes")]


def test_a_rename_in_obsidian_leaves_the_log_unedited(memory: Memory, root: Path) -> None:
    two_notes(memory)

    old = "memory/global/limit-is-a-fixed-window"
    (root / f"{old}.md").rename(root / "memory/global/renamed.md")
    log = root / "live-context/2026-11.md"
    log.write_text(log.read_text("utf-8").replace(f"[[{old}", "[[memory/global/renamed"), "utf-8")

    assert memory.verify_log() == []


def test_moving_a_note_to_another_scope_folder_changes_its_scope(
    memory: Memory, root: Path
) -> None:
    kept = memory.memorize(Wish(title="Deploys are on Tuesday", content="We deploy on Tuesdays."))
    memory.memorize(
        Wish(title="Another fact", content="Something else is true.", scope="github.com/acme/api")
    )

    (root / kept.path).rename(root / "memory/github.com/acme/api/deploys.md")

    assert memory.remember(Question("deploy Tuesday")).hits[0].scope == "github.com/acme/api"
    elsewhere = memory.called(scope="github.com/acme/web")
    assert elsewhere.remember(Question("deploy Tuesday")).hits == ()


def test_a_sub_folder_belongs_to_the_scope_above_it(memory: Memory, root: Path) -> None:
    memory.memorize(Wish(title="A fact of the api", content="It is so.....", scope="acme/api"))
    inner = root / "memory/acme/api/sorted/by me"
    inner.mkdir(parents=True)
    (inner / "Sorted.md").write_text("Otters live in the harbour.\n", "utf-8")

    assert memory.remember(Question("otters harbour")).hits[0].scope == "acme/api"


def test_a_note_written_by_hand_counts_as_approved_and_goes_by_its_path(
    memory: Memory, root: Path
) -> None:
    (root / "memory/global/Otters.md").write_text("Otters live in the harbour.\n", "utf-8")

    hit = memory.remember(Question("otters")).hits[0]

    assert (hit.id, hit.label) == ("memory/global/Otters.md", "CONFIRMED")


def test_the_id_is_written_when_a_verb_first_changes_a_note(memory: Memory, root: Path) -> None:
    page = root / "memory/global/Otters.md"
    page.write_text("---\r\n# mine\r\ntags: [sea]\r\n---\r\nOtters live here.", "utf-8", newline="")
    _, note = memory.get("Otters")

    done = memory.memorize(Wish(importance=0.9, id="Otters", hash=note.hash))

    text = page.read_bytes().decode()
    assert text.startswith("---\r\n# mine\r\ntags: [sea]\r\nimportance: 0.9\r\nid: " + done.id)
    assert text.endswith("---\r\nOtters live here.")


def test_of_two_notes_with_one_id_the_shorter_path_owns_it(memory: Memory, root: Path) -> None:
    kept = memory.memorize(Wish(title="Deploys are on Tuesday", content="We deploy on Tuesdays."))
    copy = root / "memory/global/deploys-are-on-tuesday copy.md"
    copy.write_bytes((root / kept.path).read_bytes())

    _, note = memory.get(kept.id)

    assert note.path == kept.path
    report = memory.doctor()
    assert any("has the id of" in finding.what for finding in report.findings)
