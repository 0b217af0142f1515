"""Scopes: one name a repository, however it was cloned, and always a safe folder."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaultmem.words.errors import BadInput
from vaultmem.words.scope import GLOBAL, clean, folder_of, from_remote, sees

SAME = "host/org/repo"

CLONES_OF_ONE = [
    "git@host:org/repo.git",
    "host:org/repo",
    "git@host:/org/repo.git/",
    "[git@host:22]:org/repo",
    "ssh://git@host:22/org/repo",
    "ssh://git@host:7999/org/repo.git",
    "git+ssh://git@host/org/repo",
    "https://user:token@host/org/repo.git/",
    "https://token@host:443/org//repo.git",
    "http://host:80/org/repo",
    "git://host:9418/org/repo",
    "HTTPS://HOST/Org/Repo",
    "https://host./org/repo.git",
    "https://host/org/repo.git?ref=main#readme",
    "  https://host/org/repo\n",
    "https://host/%6frg/repo/.git",
]

OTHERS = {
    "https://host:8443/org/repo": "host-8443/org/repo",
    "http://host:443/org/repo": "host-443/org/repo",
    "https://gitlab.com/group/sub/deep/repo.git": "gitlab.com/group/sub/deep/repo",
    "git@git.sr.ht:~user/repo": "git.sr.ht/~user/repo",
    "https://git.sr.ht/~user/repo": "git.sr.ht/~user/repo",
    "ssh://git@ssh.github.com:443/org/repo.git": "github.com/org/repo",
    "ssh://git@[2001:DB8::1]:22/org/repo": "2001-db8--1/org/repo",
    "https://[2001:db8::1]:8443/org/repo": "2001-db8--1-8443/org/repo",
    "git@[::1]:org/repo": "_1/org/repo",
    "https://host/org/.github": "host/org/_github",
    "https://host/org/-rf": "host/org/_rf",
    "https://host/con/aux.git": "host/con_/aux_",
    "https://host/org/nul.txt": "host/org/nul_.txt",
    "https://host/org/index.md": "host/org/index.md_",
    "https://host/My%20Project/_git/app": "host/my project/_git/app",
    "https://host/a%2f..%2fb/c": "host/a-..-b/c",
    "https://host/a%5cb/c%00d": "host/a-b/c-d",
    "https://host/%252e%252e/c": "host/_2e-2e/c",
    "https://host/org/trailing.": "host/org/trailing",
    "https://host/องค์กร/ที่เก็บ": "host/องค์กร/ที่เก็บ",
    "https://global/org/repo": "global_/org/repo",
    "local:work/app": "local_/work/app",
}

NOT_A_SHARED_PLACE = [
    "",
    "/srv/git/repo.git",
    "../repo",
    "repo.bundle",
    "./host:org/repo",
    "C:\\work\\repo",
    "c:/work/repo",
    "\\\\server\\share\\repo",
    "file:///srv/git/repo",
    "ext::ssh -i key host %S /repo",
    "hg::https://user:token@host/repo",
    "https://host",
    "https://host/",
    "https://host/.git",
    "https:///org/repo",
    "https://host:port/org/repo",
    "https://host:999999/org/repo",
    "https://[::1/org/repo",
    "https://[nonsense]/org/repo",
    "https://host/../repo",
    "https://host/%2e%2e/%2E/repo",
    "git@..:org/repo",
    "not a remote: at all",
    "https://host/" + "a" * 300,
    "https://host/" + "ก" * 100,
]

SECRET = "s3cr3t"

CREDENTIALS_IN_ODD_PLACES = [
    f"https://user:12/{SECRET}@host/org/repo",
    f"https://user:12/{SECRET}#4@host/org/repo",
    f"https://user:{SECRET}?x@host/org/repo",
    f"user:{SECRET}@host:org/repo",
    f"user:{SECRET}/x@host:org/repo",
    f"user:{SECRET}#x@host:org/repo",
    f"https://host/org/repo?token={SECRET}",
    f"hg::https://user:{SECRET}@host/repo",
]


def is_safe(segment: str) -> bool:
    return bool(
        re.fullmatch(
            r'[^.\-/\\<>:"|?*\x00-\x1f\x7f-\x9f\ud800-\udfff][^/\\<>:"|?*\x00-\x1f]*', segment
        )
        and not segment.endswith((".", " "))
        and segment.partition(".")[0] not in ("con", "prn", "aux", "nul", "com1", "lpt9")
        and len(segment.encode()) < 255
    )


pieces = st.sampled_from(
    ["..", ".", "/", "%2e", "%2F", "\\", "con", ".git", ":", "@", "~", "a", "İ", "ß", " ", "\x00"]
)
odd_text = st.one_of(st.text(max_size=40), st.lists(pieces, max_size=12).map("".join))
remotes = st.builds(
    "{}{}".format,
    st.sampled_from(["https://host/", "ssh://git@", "git@host:", "", "git://"]),
    odd_text,
)


@pytest.mark.parametrize("remote", CLONES_OF_ONE)
def test_every_way_to_clone_a_repository_gives_one_scope(remote: str) -> None:
    assert from_remote(remote) == SAME


@pytest.mark.parametrize(("remote", "scope"), OTHERS.items())
def test_a_remote_gives_its_scope(remote: str, scope: str) -> None:
    assert from_remote(remote) == scope


@pytest.mark.parametrize("remote", NOT_A_SHARED_PLACE)
def test_what_names_no_host_and_path_gives_none(remote: str) -> None:
    assert from_remote(remote) is None


@pytest.mark.parametrize("remote", CREDENTIALS_IN_ODD_PLACES)
def test_credentials_never_reach_a_scope(remote: str) -> None:
    assert SECRET not in (from_remote(remote) or "")


@pytest.mark.parametrize("remote", CREDENTIALS_IN_ODD_PLACES)
def test_credentials_in_a_typed_remote_never_reach_a_scope_or_a_message(remote: str) -> None:
    try:
        told = clean(remote)
    except BadInput as error:
        told = str(error)

    assert SECRET not in told


@given(remotes)
def test_a_scope_from_a_remote_is_always_a_safe_folder(remote: str) -> None:
    scope = from_remote(remote)

    if scope is not None:
        assert all(is_safe(segment) for segment in scope.split("/")), scope
        assert scope.count("/") >= 1
        assert clean(scope) == scope


@given(odd_text)
def test_a_typed_scope_is_a_safe_folder_or_refused(name: str) -> None:
    try:
        scope = clean(name)
    except BadInput:
        return

    assert all(is_safe(segment) for segment in folder_of(scope).split("/")), scope
    assert clean(scope) == scope


@pytest.mark.parametrize(
    ("name", "scope"),
    [
        ("GitHub.com/Acme/API", "github.com/acme/api"),
        ("/local/notes/", "local/notes"),
        ("local\\notes", "local/notes"),
        ("Cafe\u0301", "caf\u00e9"),
        ("zero\u200bwidth", "zerowidth"),
        ("a<b>|c", "a-b-c"),
        ("CON", "con_"),
        ("global/notes", "global_/notes"),
        ("https://user:token@host/org/repo.git", SAME),
        ("git@host:org/repo", SAME),
        ("host/org/repo.git", SAME),
    ],
)
def test_a_typed_scope_gets_its_one_spelling(name: str, scope: str) -> None:
    assert clean(name) == scope


@pytest.mark.parametrize("name", ["", "global", "Global", "/GLOBAL/", " global. "])
def test_empty_and_global_both_mean_the_global_scope(name: str) -> None:
    assert clean(name) == GLOBAL


@pytest.mark.parametrize("name", ["/", "..", "../../etc", "a/../b", "???", " ", "file:///srv/git"])
def test_a_name_that_cannot_be_a_folder_is_refused_with_an_example(name: str) -> None:
    with pytest.raises(BadInput, match=r"github\.com/acme/api"):
        clean(name)


@pytest.mark.parametrize("name", ["a" * 201, "ก" * 70, "x/" * 101 + "x", "a" + " " * 9999])
def test_a_name_too_long_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match="too long"):
        clean(name)


def test_the_global_scope_lies_in_a_folder_called_global() -> None:
    assert folder_of(GLOBAL) == "global"
    assert folder_of(SAME) == SAME


@pytest.mark.parametrize(
    ("reader", "scope", "seen"),
    [
        (SAME, SAME, True),
        (SAME, "HOST/Org/Repo", True),
        (SAME, GLOBAL, True),
        (SAME, "host/org", False),
        (SAME, "host/org/repo/deeper", False),
        (SAME, "host/org/other", False),
        (GLOBAL, GLOBAL, True),
        (GLOBAL, SAME, False),
    ],
)
def test_a_reader_sees_its_own_scope_and_the_global_one(
    reader: str, scope: str, seen: bool
) -> None:
    assert sees(reader, scope) is seen
