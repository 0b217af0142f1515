"""Connecting hosts: our part goes in and comes out, and nothing else changes by a byte."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path

import pytest
import yaml

from vaultmem.hosts.places import Machine
from vaultmem.hosts.table import HOSTS
from vaultmem.verbs.checking import check
from vaultmem.verbs.connect import Connected, Connector
from vaultmem.words.connecting import ConnectWish
from vaultmem.words.errors import BadInput, Refused

ODD = {
    "json": '{"z" : 1,\t"list":[ 1,2 ],\n   "mcpServers": {"other":{"command":"x"}},"é":"ü"}',
    "jsonc": '{\r\n\t// mine\r\n\t"theme": "dark", /* so */\r\n\t"hooks": {},\r\n}\r\n',
    "json5": "// settings\n{\n  agents: { defaults: { workspace: '~/w' } }, // mine\n}\n",
    "toml": '# mine\nmodel = "o"   # so\n\n[mcp_servers.other]\ncommand = "x"\n[a.b]\nc = [ 1,\n2]',
    "yaml": "# mine\nmodel:   {a: 1}\nmcp_servers:  # all\n   other:\n     command: x\nlast: 1\n",
}
BROKEN = {
    "json": '{"a": 1,}',
    "jsonc": '{"a": 1 // no end\n',
    "json5": "{a: }",
    "toml": "a = = 1",
    "yaml": "a: [1",
}
PLUGIN_KEYS = {"hermes": ("memory", "provider"), "openclaw": ("plugins", "slots", "memory")}
LEVELS = [(name, level == "project") for name, host in HOSTS.items() for level in host.files]
LEVEL = pytest.mark.parametrize(("host", "project"), LEVELS)


@pytest.fixture
def connector(tmp_path: Path) -> Connector:
    for folder in ("home", "project"):
        (tmp_path / folder).mkdir()
    machine = Machine(tmp_path / "home", "linux", {"PATH": ""}, tmp_path / "project")
    return Connector(machine, tmp_path / "state" / "hosts")


def connect(connector: Connector, host: str, project: bool = False, **more: object) -> Connected:
    wish = ConnectWish(host, project, **{"force": True, **more})  # type: ignore[arg-type]
    return connector.connect(wish, Path("/my notes/vault"))


def undo(connector: Connector, host: str, project: bool = False) -> Connected:
    return connector.disconnect(ConnectWish(host, project))


def tree(connector: Connector) -> dict[str, bytes | None]:
    """Return every file and folder below home and project."""
    top = connector.machine.home.parent
    found = [p for name in ("home", "project") for p in (top / name).rglob("*")]
    return {str(p): p.read_bytes() if p.is_file() else None for p in found}


def settings_file(connector: Connector, host: str, project: bool = False) -> Path:
    level = "project" if project else "user"
    return connector.machine.chosen(HOSTS[host].files[level])


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def meaning(path: Path, form: str) -> object:
    if form == "toml":
        return tomllib.loads(path.read_text("utf-8"))
    return yaml.safe_load(path.read_text("utf-8"))  # JSON too


@LEVEL
def test_a_host_without_settings_gets_ours_and_loses_them_again(
    connector: Connector, host: str, project: bool
) -> None:
    before = tree(connector)

    done = connect(connector, host, project)
    value = meaning(settings_file(connector, host, project), HOSTS[host].form)
    for key in PLUGIN_KEYS.get(host, (*HOSTS[host].keys, "vaultmem")):
        value = value[key]  # type: ignore[index]

    assert "vaultmem" in str(value)
    assert "/my notes/vault" in "".join(change.new or "" for change in done.changes)
    assert done.untouched == ()
    assert undo(connector, host, project).untouched == ()
    assert tree(connector) == before


@LEVEL
def test_settings_that_are_there_stay_and_come_back_byte_for_byte(
    connector: Connector, host: str, project: bool
) -> None:
    odd = ODD[HOSTS[host].form]
    write(settings_file(connector, host, project), odd).chmod(0o640)
    hooks = HOSTS[host].hooks
    hook_file = hooks and connector.machine.place(
        hooks.files.get("project" if project else "user", "")
    )
    if hook_file and not hook_file.exists():
        write(hook_file, '{"hooks":{"Stop":[ ],"SessionStart":[{"hooks":[]}]},"a":1}')
    before = tree(connector)

    connect(connector, host, project)
    once = tree(connector)
    again = connect(connector, host, project)

    assert tree(connector) == once != before
    assert again.changes == () == again.untouched
    assert settings_file(connector, host, project).stat().st_mode & 0o777 == 0o640
    undo(connector, host, project)
    assert tree(connector) == before


@LEVEL
def test_settings_that_are_broken_are_left_with_what_to_paste(
    connector: Connector, host: str, project: bool
) -> None:
    file = write(settings_file(connector, host, project), BROKEN[HOSTS[host].form])

    done = connect(connector, host, project)

    assert file.read_text() == BROKEN[HOSTS[host].form]
    assert [item.file for item in done.untouched] == [file]
    assert "vaultmem" in done.untouched[0].paste


@LEVEL
def test_a_dry_run_changes_nothing(connector: Connector, host: str, project: bool) -> None:
    before = tree(connector)

    done = connect(connector, host, project, dry_run=True)

    assert done.changes
    assert tree(connector) == before


def test_an_entry_of_that_name_that_is_not_ours_is_left(connector: Connector) -> None:
    text = '{"mcpServers": {"vaultmem": {"command": "/opt/other", "args": ["serve"]}}}'
    file = write(settings_file(connector, "claude-code"), text)

    done = connect(connector, "claude-code")

    assert file.read_text() == text
    assert "not put there" in done.untouched[0].why


def test_another_vault_takes_the_place_of_the_first(connector: Connector) -> None:
    before = ODD["json"]
    file = write(settings_file(connector, "claude-code"), before)
    connect(connector, "claude-code")

    connector.connect(ConnectWish("claude-code", force=True), Path("/other"))

    text = file.read_text("utf-8")
    assert (text.count("/other"), text.count("/my notes")) == (1, 0)
    undo(connector, "claude-code")
    assert file.read_text("utf-8") == before


def test_what_the_host_wrote_since_stays(connector: Connector) -> None:
    file = write(settings_file(connector, "claude-code"), ODD["json"])
    connect(connector, "claude-code")
    value = {**json.loads(file.read_text("utf-8")), "new": True}
    file.write_text(json.dumps(value, indent=4), "utf-8")

    undo(connector, "claude-code")

    assert json.loads(file.read_text("utf-8")) == {**json.loads(ODD["json"]), "new": True}


def test_a_file_of_hooks_that_a_person_added_to_stays_without_ours(connector: Connector) -> None:
    connect(connector, "claude-code")
    file = connector.machine.home / ".claude" / "settings.json"
    value = json.loads(file.read_text("utf-8"))
    mine = {"hooks": [{"type": "command", "command": "date"}]}
    value["hooks"]["Stop"].append(mine)
    file.write_text(json.dumps(value), "utf-8")

    undo(connector, "claude-code")

    assert json.loads(file.read_text("utf-8")) == {"hooks": {"Stop": [mine]}}


def test_a_skill_that_a_person_changed_is_theirs(connector: Connector) -> None:
    connect(connector, "claude-code")
    skill = connector.machine.home / ".claude" / "skills" / "vaultmem" / "SKILL.md"
    skill.write_text(skill.read_text("utf-8") + "Mine.\n", "utf-8")

    again = connect(connector, "claude-code")
    done = undo(connector, "claude-code")

    assert [item.file for item in (*again.untouched, *done.untouched)] == [skill, skill]
    assert skill.read_text("utf-8").endswith("Mine.\n")


@pytest.mark.parametrize("kind", ["a folder", "a link to itself"])
def test_what_is_no_regular_file_is_left(connector: Connector, kind: str) -> None:
    file = settings_file(connector, "cursor")
    file.parent.mkdir(parents=True)
    if kind == "a folder":
        file.mkdir()
    else:
        file.symlink_to(file)

    done = connect(connector, "cursor")

    assert [item.why for item in done.untouched] == ["it is no regular file"]
    assert "vaultmem" in done.untouched[0].paste
    assert undo(connector, "cursor").untouched == ()


def test_without_a_record_ours_is_found_and_taken_out(connector: Connector) -> None:
    file = write(settings_file(connector, "codex"), ODD["toml"])
    connect(connector, "codex")
    for record in connector.kept.iterdir():
        record.unlink()

    undo(connector, "codex")

    assert tomllib.loads(file.read_text("utf-8")) == tomllib.loads(ODD["toml"])


@pytest.mark.parametrize(
    ("host", "text"),
    [
        ("codex", '[mcp_servers.vaultmem]\ncommand = "mine"\n'),
        ("hermes", "mcp_servers:\n  vaultmem:\n    command: mine\n"),
    ],
)
def test_an_entry_of_that_name_that_is_not_ours_is_not_undone(
    connector: Connector, host: str, text: str
) -> None:
    file = write(settings_file(connector, host), text)

    undo(connector, host)

    assert file.read_text("utf-8") == text


@pytest.mark.parametrize(
    "text",
    [
        "memory:\nz: 1\n",
        "memory:\n  provider:\n  more: 1\n",
        "memory:\r\n  more: 1\r\n  provider: ''\r\nz: 1\r\n",
        'z: 1\nmemory:\n    # of ours\n    provider: ""  # none\n    more: 1\n',
        "memory:\n  provider:",
    ],
)
def test_where_hermes_has_no_memory_yet_ours_takes_the_place(
    connector: Connector, text: str
) -> None:
    file = write(settings_file(connector, "hermes"), text)

    done = connect(connector, "hermes")

    assert done.untouched == ()
    assert yaml.safe_load(file.read_text("utf-8"))["memory"]["provider"] == "vaultmem"
    undo(connector, "hermes")
    assert file.read_bytes() == text.encode()


def test_a_link_stays_a_link_and_its_target_is_written(connector: Connector) -> None:
    target = write(connector.machine.home / "dotfiles" / "gemini.json", "{}")
    link = connector.machine.home / ".gemini" / "settings.json"
    link.parent.mkdir()
    link.symlink_to(target)

    connect(connector, "gemini-cli")

    assert link.is_symlink()
    assert "vaultmem" in target.read_text("utf-8")
    undo(connector, "gemini-cli")
    assert target.read_text("utf-8") == "{}"


def test_over_http_the_token_stays_in_the_environment(connector: Connector) -> None:
    url = "http://10.0.0.1:8765/mcp"
    for name, host in HOSTS.items():
        if host.http is None:
            with pytest.raises(BadInput, match="Leave --http out"):
                connect(connector, name, http=url, token_env="MEM")
        else:
            done = connect(connector, name, http=url, token_env="MEM")
            assert len(done.changes) == 1, name
            assert url in (done.changes[0].new or "")
            assert "MEM" in (done.changes[0].new or "")
            assert "token into MEM" in done.steps[0]
            undo(connector, name)
    assert [path for path, data in tree(connector).items() if data] == []


@pytest.mark.parametrize("name", ["", "A B", "$(rm)", "vm_the_token_itself", "vm_QWE-th"])
def test_what_is_no_name_of_a_variable_is_not_written(connector: Connector, name: str) -> None:
    with pytest.raises(BadInput, match="and not the token"):
        connect(connector, "cursor", http="https://example.org/mcp", token_env=name)


def test_what_cannot_be_connected_is_refused_in_a_sentence(connector: Connector) -> None:
    vault = Path("/v")

    with pytest.raises(Refused, match="Cursor does not seem to be installed"):
        connector.connect(ConnectWish("cursor"), vault)
    with pytest.raises(BadInput, match="Name one of: claude-code"):
        connector.connect(ConnectWish("notepad"), vault)
    with pytest.raises(BadInput, match="Leave --project out"):
        connector.connect(ConnectWish("openclaw", project=True), vault)
    (connector.machine.home / ".cursor").mkdir()
    assert connector.connect(ConnectWish("cursor"), vault).changes


def test_a_host_may_keep_its_settings_elsewhere(tmp_path: Path) -> None:
    local = tmp_path / "Local"
    known = {"LOCALAPPDATA": str(local), "CODEX_HOME": str(tmp_path / "c"), "HERMES_HOME": "no"}
    machine = Machine(tmp_path, "win32", known, tmp_path)
    desktop = HOSTS["claude-desktop"].files["user"]
    plain = machine.chosen(desktop)
    (local / "Packages" / "Claude_abc" / "LocalCache" / "Roaming" / "Claude").mkdir(parents=True)

    assert plain == tmp_path / "AppData" / "Roaming" / "Claude" / "claude_desktop_config.json"
    assert machine.place("{codex}/config.toml") == tmp_path / "c" / "config.toml"
    assert machine.place("{hermes}") == local / "hermes"
    assert machine.place(desktop[0]) == (
        local / "Packages/Claude_abc/LocalCache/Roaming/Claude/claude_desktop_config.json"
    )


@pytest.mark.parametrize(
    ("host", "text"),
    [
        ("hermes", "memory:\n  provider: honcho\n  more: 1\n"),
        ("openclaw", "{plugins: {slots: {memory: 'memory-core'}}}\n"),
    ],
)
def test_another_memory_keeps_its_place_and_the_server_is_entered(
    connector: Connector, host: str, text: str
) -> None:
    file = write(settings_file(connector, host), text)

    done = connect(connector, host)

    assert [change.file for change in done.changes] == [file]
    assert '"mcp"' in (done.changes[0].new or "")
    assert "is something else's" in done.steps[-1]
    undo(connector, host)
    assert file.read_text("utf-8") == text


def test_yaml_that_cannot_be_added_to_is_left(connector: Connector) -> None:
    for text in ("memory: {}\n", "memory: &a\n  b: {}\n", "a: 1\n---\nb: 2\n", "- 1\n"):
        file = write(settings_file(connector, "hermes"), text)

        done = connect(connector, "hermes")

        assert (file.read_text(), len(done.untouched)) == (text, 1)


def test_a_check_reads_what_the_host_says_and_starts_the_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: Path
) -> None:
    programs = tmp_path / "bin"
    fake = write(programs / "claude", "#!/bin/sh\necho 'vaultmem: x - ✘ Failed to connect'\n")
    fake.chmod(0o755)
    (tmp_path / "home").mkdir()
    environ = {"PATH": f"{programs}{os.pathsep}/bin"}
    connector = Connector(Machine(tmp_path / "home", "linux", environ, tmp_path), tmp_path / "s")
    wish = ConnectWish("claude-code")

    assert "nothing is connected" in check(connector, wish)[0].said
    connector.connect(wish, root)
    failed, served = check(connector, wish)
    fake.write_text("#!/bin/sh\necho 'vaultmem: x - ✔ Connected'\n")

    assert (failed.good, failed.said) == (False, "vaultmem: x - ✘ Failed to connect")
    assert served.good
    assert "remember" in served.said
    monkeypatch.setattr("vaultmem.verbs.checking.started", lambda *_: served)
    assert check(connector, wish)[0].good
