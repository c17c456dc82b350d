"""Environment variables."""

from pathlib import Path

import pytest

from board_agent.settings import Settings, SettingsError, default_base_url, from_environment, gateway, read_file

NO_RUNNER = {"LLM_BASE_URL": "http://127.0.0.1:8081/v1"}


def test_nothing_set_gives_the_documented_defaults() -> None:
    settings = from_environment(NO_RUNNER)
    assert (settings.agent_host, settings.agent_port) == ("0.0.0.0", 7000)
    assert (settings.agent_max_turns, settings.agent_time_limit_s) == (6, 900)
    assert settings.agent_workspace.name == "workspace"
    assert settings.agent_data.name == "data"
    assert settings.policy is None


def test_an_empty_variable_counts_as_not_set() -> None:
    assert from_environment({**NO_RUNNER, "AGENT_PORT": " ", "AGENT_POLICY": ""}).agent_port == 7000


def test_what_is_set_is_used(tmp_path: Path) -> None:
    environ = {
        "AGENT_PORT": "7100",
        "AGENT_HOST": "127.0.0.1",
        "LLM_BASE_URL": "https://example.org/v1/",
        "LLM_MODEL": "some-model",
        "LLM_API_KEY": "sk-1",
        "AGENT_WORKSPACE": str(tmp_path),
        "AGENT_MAX_TURNS": "3",
        "AGENT_TIME_LIMIT_S": "12.5",
        "AGENT_POLICY": "act:ask, change:deny",
    }
    settings = from_environment(environ)
    assert settings.agent_port == 7100
    assert settings.llm_base_url == "https://example.org/v1"
    assert settings.agent_time_limit_s == 12.5
    assert settings.policy == {"act": "ask", "change": "deny"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("AGENT_PORT", "0"),
        ("AGENT_PORT", "70000"),
        ("AGENT_PORT", "seven"),
        ("AGENT_PORT", "7000.5"),
        ("AGENT_MAX_TURNS", "0"),
        ("AGENT_MAX_TURNS", "nan"),
        ("AGENT_TIME_LIMIT_S", "-1"),
        ("AGENT_TIME_LIMIT_S", "nan"),
        ("AGENT_TIME_LIMIT_S", "inf"),
        ("LLM_BASE_URL", "localhost:8081"),
        ("LLM_BASE_URL", "ftp://x"),
        ("LLM_BASE_URL", "http://"),
        ("LLM_BASE_URL", "http://x:99999"),
        ("LLM_API_KEY", "schlüssel"),
        ("LLM_API_KEY", "a\nb"),
        ("AGENT_POLICY", "act"),
        ("AGENT_POLICY", "act:maybe"),
        ("AGENT_POLICY", "shout:allow"),
        ("AGENT_WORKSPACE", __file__),
        ("AGENT_DATA", __file__),
    ],
)
def test_a_wrong_value_is_named_with_what_would_do(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=name) as caught:
        from_environment({**NO_RUNNER, name: value})
    assert "must be" in str(caught.value)


def test_a_board_reads_its_settings_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "settings.env"
    assert read_file(file) == {}
    file.write_text("# for the workshop\n\nAGENT_POLICY = act:ask\nLLM_MODEL='a model'\n")
    assert read_file(file) == {"AGENT_POLICY": "act:ask", "LLM_MODEL": "a model"}


@pytest.mark.parametrize("text", ["AGENT_POLICY", "PATH=/bin", "=x", "AGENT_PORT: 7", "AGENT_MAX_TURN=4"])
def test_a_line_that_is_no_setting_is_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / "settings.env"
    file.write_text(f"\n{text}\n")
    with pytest.raises(SettingsError, match="line 2"):
        read_file(file)


def test_a_settings_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        read_file(tmp_path)
    (tmp_path / "settings.env").write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match="cannot be read"):
        read_file(tmp_path / "settings.env")


def test_the_key_is_never_among_what_is_shown() -> None:
    shown = Settings(llm_api_key="sk-secret").public()
    assert "sk-secret" not in str(shown)
    assert shown["llm_api_key"] == "set"
    assert shown["policy"] == "default"


def test_the_policy_is_shown_as_it_is_written() -> None:
    assert (
        from_environment({**NO_RUNNER, "AGENT_POLICY": "act:ask,change:deny"}).public()["policy"]
        == "act:ask,change:deny"
    )


def test_sets_of_tools_are_off_until_they_are_named() -> None:
    assert from_environment(NO_RUNNER).agent_tools == ()
    assert from_environment({**NO_RUNNER, "AGENT_TOOLS": " Files "}).agent_tools == ("files",)
    with pytest.raises(SettingsError, match="must be sets of tools with commas between: files"):
        from_environment({**NO_RUNNER, "AGENT_TOOLS": "files,shell"})


ROUTES = "Iface\tDestination\tGateway\tFlags\neth0\t000011AC\t00000000\t1\neth0\t00000000\t010011AC\t3\n"


def test_the_gateway_is_the_first_default_route(tmp_path: Path) -> None:
    routes = tmp_path / "route"
    routes.write_text(ROUTES)
    assert gateway(routes) == "172.17.0.1"
    routes.write_text("Iface\n")
    assert gateway(routes) is None
    assert gateway(tmp_path / "none") is None


def test_the_model_is_looked_for_where_it_is_likely(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    routes = tmp_path / "route"
    routes.write_text(ROUTES)
    monkeypatch.setattr("board_agent.settings.APP_DIR", Path("/app"))
    assert default_base_url(routes, "no-such-host.invalid") == "http://172.17.0.1:8081/v1"
    assert default_base_url(tmp_path / "none", "no-such-host.invalid") == "http://127.0.0.1:8081/v1"
    assert default_base_url(routes, "localhost") == "http://localhost:9999/v1"
    monkeypatch.setattr("board_agent.settings.APP_DIR", tmp_path)
    monkeypatch.setattr(Path, "exists", lambda self: False)
    assert default_base_url(routes, "no-such-host.invalid") == "http://127.0.0.1:8081/v1"


TOKENS = {"AGENT_TOKEN": "open-sesame", "AGENT_WATCH_TOKEN": "look", "LLM_API_KEY": "sk-1"}


def test_no_token_and_no_password_is_among_what_is_shown() -> None:
    settings = from_environment({**TOKENS, "LLM_BASE_URL": "http://me:hush@host:8081/v1"})
    shown = str(settings.public())
    assert "http://host:8081/v1" in shown
    assert not [secret for secret in ("open-sesame", "look", "sk-1", "hush") if secret in shown]
    assert {"open-sesame", "look", "sk-1", "hush"} <= set(settings.secrets())


@pytest.mark.parametrize(
    "tokens",
    [{"AGENT_WATCH_TOKEN": "look"}, {"AGENT_TOKEN": "same", "AGENT_WATCH_TOKEN": "same"}, {"AGENT_TOKEN": "é"}],
)
def test_tokens_that_would_not_do_what_they_say_are_refused(tokens: dict[str, str]) -> None:
    with pytest.raises(SettingsError, match="TOKEN") as caught:
        from_environment({**NO_RUNNER, **tokens})
    assert "same" not in str(caught.value)


def test_further_names_are_listed_with_commas() -> None:
    settings = from_environment({**NO_RUNNER, "AGENT_ALLOWED_HOSTS": "Board.example.org, uno.fritz.box"})
    assert settings.agent_allowed_hosts == ("board.example.org", "uno.fritz.box")
    with pytest.raises(SettingsError, match="AGENT_ALLOWED_HOSTS"):
        from_environment({**NO_RUNNER, "AGENT_ALLOWED_HOSTS": "http://board.example.org"})
