"""Folders of other programs' memories, written in their own shapes, with oddities on purpose.

Each maker returns the files, and for each entry the text that must stand in one note.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, timedelta

from benchmarks import corpus

Folder = dict[str, bytes]
Made = tuple[Folder, list[str]]

CODE = "```\n## no heading\n### 14:30\n- no bullet\n---\n[x] § [[no link]]\n```"
WIDE = (
    "Grüße aus Köln, mit ß und ẞ.",
    "ลูกสาวของคุณนิดาแพ้ถั่วลิสง",
    "会议室需要提前两个小时预订。",
    "Ответ лежит в таблице № 7 🙂.",
    "العميل يفضل البريد",
)


def _facts(count: int, seed: int) -> Iterator[tuple[str, str]]:
    """Yield titles and texts: some short, some with code, a list, a heading or another script."""
    for number, (title, said) in enumerate(corpus.facts(count, seed=seed)):
        extra = (
            "",
            f"\n\n{CODE}",
            f"\n{WIDE[number % len(WIDE)]}",
            "\n\n- one point\n  - a deeper one\n- another",
            "\n\n> quoted § words\n> of somebody",
            "\n\n**Why:** it was measured.\n\n**How to apply:** always.",
        )[number % 6]
        yield title, f"Entry {number} of {count}: {said}{extra}"


def _odd(number: int, text: str) -> bytes:
    """Return a file's bytes: every fifth one from Windows, every seventh with a mark in front."""
    text = text.replace("\n", "\r\n") if number % 5 == 0 else text
    return (b"\xef\xbb\xbf" if number % 7 == 0 else b"") + text.encode()


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")


def claude_code(count: int) -> Made:
    files: Folder = {}
    texts, index = [], []
    kinds = ("user", "feedback", "project", "reference")
    for n, (title, said) in enumerate(_facts(count, 61)):
        text = f"{said}\n\nSee [[topic-{(n + 1) % count}]] and [[nobody-{n}]]."
        kind = kinds[n % 4]
        head = (
            f"---\nname: topic-{n}\ndescription: about: {title}\nmetadata:\n  type: {kind}\n---\n",
            f"---\nname: {title}\ndescription: >\n  {title}\ntype: {kind}\nextra: [1, 2]\n---\n",
            "",
        )[n % 3]
        files[f"topic-{n}.md"] = _odd(n, f"{head}{text}\n")
        texts.append(text)
        index += [f"- [{title}](topic-{n}.md) — about it"] if n % 2 else []
    files["MEMORY.md"] = _odd(1, "\n".join(index))
    return files, texts


def openclaw(count: int) -> Made:
    facts = list(_facts(count, 62))
    third = count // 3
    lines = ["# MEMORY", ""]
    for n, (_, said) in enumerate(facts[:third]):
        lines += [f"## Topic {n // 5}", ""] if n % 5 == 0 else []
        mark = f" <!-- importance: {n % 10} -->" if n % 3 == 0 and "\n" not in said else ""
        lines.append(f"- {_indented(said)}{mark}")
    user = [
        f"<!-- observed: 2026-07-{n % 28 + 1:02} | status: active -->\n\n- {_indented(said)}\n"
        for n, (_, said) in enumerate(facts[third : 2 * third])
    ]
    files = {
        "MEMORY.md": _odd(0, "\n".join(lines)),
        "USER.md": _odd(1, "\n".join(user)),
        "DREAMS.md": b"I dreamt of everything again.\n",
        "memory/imports/codex/MEMORY.md": b"- theirs\n",
        "memory/dreaming/rem/2026-11-01.md": b"a report\n",
    }
    rest = facts[2 * third :]
    for n in range(0, len(rest), 3):
        day = date(2026, 3, 1) + timedelta(days=n)
        parts = [f"## {title}\n\n{said}" for title, said in rest[n : n + 3]]
        text = "\n\n".join([f"# {day}", *parts, "## Light Sleep\n\nzzz"])
        files[f"memory/{day}{'-late' if n % 2 else ''}.md"] = _odd(n, text)
    return files, [said for _, said in facts]


def hermes(count: int) -> Made:
    texts = [said for _, said in _facts(count, 63)]
    half = count // 2
    files = {
        "MEMORY.md": _odd(0, "\n§\n".join(texts[:half])),
        "USER.md": _odd(1, "\n§\n".join(texts[half:])),
    }
    return files, texts


def basic_memory(count: int) -> Made:
    """Half of the entries are notes, the other half are observations in them."""
    files: Folder = {}
    texts = []
    facts = list(_facts(count, 64))
    half = count // 2
    for n, (title, said) in enumerate(facts[:half]):
        seen = facts[half + n][1].split("\n")[0] + f" #tag{n} (seen)"
        relation = f'- relates_to [[Note {(n + 1) % half}]]\n- "based on" [[Nowhere {n}]]'
        head = f"---\ntitle: Note {n}\ntype: note\ntags: [a, b]\npermalink: main/note-{n}\n---\n"
        body = f"# {title}\n\n{said}\n\n- [ ] a task\n\n{relation}"
        files[f"area {n % 4}/Note {n}.md"] = _odd(n, f"{head}\n{body}\n\n- [tip] {seen}\n")
        texts += [body, seen]
    return files, texts


def memsearch(count: int) -> Made:
    files: Folder = {}
    texts = [said for _, said in _facts(count, 65)]
    for n in range(0, count, 8):
        day = date(2026, 1, 1) + timedelta(days=n)
        parts = []
        for m, said in enumerate(texts[n : n + 8]):
            parts += [f"## Session 1{m}:30"] if m % 4 == 0 else []
            comment = f"<!-- session:s{n} turn:t{m} transcript:/home/ann/x{m}.jsonl -->"
            parts.append(f"### 1{m}:3{m % 2}\n{comment}\n{said}")
        files[f"{day}.md"] = _odd(n, "\n\n".join([f"# {day}", *parts]))
    return files, texts


def letta(count: int) -> Made:
    files: Folder = {"MEMORY.md": b"# Memory\n\n- [[system/block-0]] first\n"}
    texts = []
    for n, (title, said) in enumerate(_facts(count, 66)):
        folder = ("system", "reference", "people/near")[n % 3]
        head = f"---\ndescription: {title}: more\nlimit: 5000\n---\n" if n % 4 else ""
        files[f"{folder}/block-{n}.md"] = _odd(n, f"{head}{said}\n")
        texts.append(said)
    return files, texts


def plain(count: int) -> Made:
    files: Folder = {}
    texts = []
    for n, (title, said) in enumerate(_facts(count, 67)):
        text = f"# {title}\n\n{said}\n\n[next](<Note {(n + 1) % count}.md>)"
        head = (f"---\ntags: [x{n}]\ndate: 2025-05-0{n % 9 + 1}\n---\n", "")[n % 2]
        files[f"{'deep/er/' if n % 3 else ''}Note {n}.md"] = _odd(n, f"{head}{text}\n")
        texts.append(text)
    return files, texts


MAKERS: dict[str, Callable[[int], Made]] = {
    "claude-code": claude_code,
    "openclaw": openclaw,
    "hermes": hermes,
    "basic-memory": basic_memory,
    "memsearch": memsearch,
    "letta": letta,
    "plain": plain,
}
