"""The chapter of promises: each has a test, and no test proves what nobody promised."""

from __future__ import annotations

from pathlib import Path

import promised

STATED = {"kept": "A note is kept.", "whole": "No half of one is seen."}


def written(tests: Path, **files: str) -> Path:
    tests.mkdir()
    (tests / "promises.py").write_text(f"PROMISES = {STATED!r}\n")
    for name, text in files.items():
        (tests / f"{name}.py").write_text(text)
    return tests


def test_marks_are_found_on_tests_of_every_form(tmp_path: Path) -> None:
    one = (
        '@promise("kept")\n@other\ndef test_a() -> None: ...\n\n@other("kept")\ndef test_b(): ...\n'
    )
    two = 'class TestC:\n    @promise("kept", "whole")\n    async def test_d(self) -> None: ...\n'
    tests = written(tmp_path / "tests", test_one=one, test_two=two)

    assert promised.promises(tests) == STATED
    assert promised.proofs(tests) == {
        "kept": ["tests/test_one.py::test_a", "tests/test_two.py::TestC::test_d"],
        "whole": ["tests/test_two.py::TestC::test_d"],
    }


def test_a_promise_without_a_test_and_a_mark_of_none_are_named(tmp_path: Path) -> None:
    text = '@promise("quick")\ndef test_a() -> None: ...\n\n@promise("kept")\ndef test_b(): ...\n'
    tests = written(tmp_path / "tests", test_one=text)

    assert promised.faults(promised.promises(tests), promised.proofs(tests)) == [
        "No test proves the promise 'whole': mark one with @promise(\"whole\").",
        "tests/test_one.py::test_a is marked 'quick'; tests/promises.py states no such promise.",
    ]


def test_at_most_five_tests_of_as_many_files_as_there_are_stand_in_the_table() -> None:
    proven = {"kept": [*(f"a.py::test_{n}" for n in range(9)), "b.py::test_x"]}

    *_, row, bare = promised.table(STATED, proven)

    assert row.startswith("| A note is kept. | `a.py::test_0`<br>`a.py::test_1`")
    assert row.endswith("`a.py::test_3`<br>`b.py::test_x` |")
    assert bare == "| No half of one is seen. |  |"


def test_this_repo_s_promises_are_all_proven() -> None:
    tests = Path(__file__).parent

    assert promised.faults(promised.promises(tests), promised.proofs(tests)) == []
