"""Every environment variable the app reads, once, with its default and its meaning; checked at start.

App Lab hands an app no variables, so on a board they stand in a file, `settings.env` in the app's folder.
"""

from __future__ import annotations

import os
import re
import socket
import struct
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from urllib.parse import urlsplit

from board_agent.toolbox import DECISIONS, RISKS, Decision, Risk

APP_DIR = Path(__file__).resolve().parents[2]
RUNNER = "llamacpp-models-runner"
"""The host name of App Lab's own model server, seen from inside an app's container when its brick is in use."""
RUNNER_PORT = 9999
LLAMA_PORT = 8081
SECRETS = ("llm_api_key", "agent_token", "agent_watch_token")
TOOL_SETS = ("files",)


class SettingsError(Exception):
    """A variable has a value that cannot be used. The message names it, the value and what would do."""


@dataclass(frozen=True)
class Settings:
    """The app's settings. A field is the environment variable of the same name in capitals, but for `policy`."""

    agent_host: str = "0.0.0.0"  # where the page listens
    agent_port: int = 7000
    llm_base_url: str = ""  # where /chat/completions is; "" is replaced by what `default_base_url` finds
    llm_model: str = ""  # the model's name; "" takes the first that the server lists
    llm_api_key: str = ""  # for a provider that wants one; never shown
    agent_workspace: Path = APP_DIR / "workspace"
    agent_data: Path = APP_DIR / "data"
    agent_slots: Path = APP_DIR / ".cache" / "slots"  # llama-server's --slot-save-path, as the app sees it
    agent_max_turns: int = 6
    agent_time_limit_s: float = 900.0
    agent_tools: tuple[str, ...] = ()  # sets of tools beside the six, with commas between
    policy: Mapping[Risk, Decision] | None = None  # AGENT_POLICY, such as act:ask,change:deny
    agent_token: str = ""  # what somebody must show to ask; "" lets everyone in the network ask
    agent_watch_token: str = ""  # what somebody may show instead to watch only
    agent_allowed_hosts: tuple[str, ...] = ()  # names beside addresses and *.local, with commas between

    def public(self) -> dict[str, str]:
        """The settings for the log: everything but the keys, of which it tells whether they are set."""
        shown = {name: str(value) for name, value in vars(self).items()}
        for name in SECRETS:
            shown[name] = "set" if shown[name] else "not set"
        shown["policy"] = ",".join(f"{risk}:{decision}" for risk, decision in (self.policy or {}).items()) or "default"
        parts = urlsplit(self.llm_base_url)
        return {**shown, "llm_base_url": parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()}

    def secrets(self) -> list[str]:
        """What no log may hold."""
        return [str(getattr(self, name)) for name in SECRETS] + [urlsplit(self.llm_base_url).password or ""]


def read_file(path: Path = APP_DIR / "settings.env") -> dict[str, str]:
    """The variables of a file of `NAME=value` lines; empty lines and lines that begin with # are passed over.

    Raises:
        SettingsError: the file is there and cannot be used.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}") from error
    known = ["AGENT_POLICY", *(field.name.upper() for field in fields(Settings) if field.name != "policy")]
    values = {}
    for number, line in enumerate(map(str.strip, lines), 1):
        if line and not line.startswith("#"):
            name, equals, value = (part.strip() for part in line.partition("="))
            if not equals or name not in known:
                raise SettingsError(
                    f"{path}, line {number}: must be a line such as AGENT_POLICY=act:ask; names are {', '.join(known)}."
                )
            values[name] = value.strip("\"'")
    return values


def from_environment(environ: Mapping[str, str] = os.environ) -> Settings:
    """Read and check the environment; an empty variable counts as not set.

    Raises:
        SettingsError: for the first value that cannot be used.
    """
    default = Settings()
    values = {name: value.strip() for name, value in environ.items() if value.strip()}
    token, watch_token = _key(values, "AGENT_TOKEN"), _key(values, "AGENT_WATCH_TOKEN")
    if watch_token and token in ("", watch_token):
        raise SettingsError("AGENT_WATCH_TOKEN: must differ from AGENT_TOKEN, which must be set too.")
    return Settings(
        agent_host=values.get("AGENT_HOST", default.agent_host),
        agent_port=int(_number(values, "AGENT_PORT", default.agent_port, 1, 65535, whole=True)),
        llm_base_url=_url(values, "LLM_BASE_URL") or default_base_url(),
        llm_model=values.get("LLM_MODEL", ""),
        llm_api_key=_key(values, "LLM_API_KEY"),
        agent_workspace=_folder(values, "AGENT_WORKSPACE", default.agent_workspace),
        agent_data=_folder(values, "AGENT_DATA", default.agent_data),
        agent_slots=_folder(values, "AGENT_SLOTS", default.agent_slots),
        agent_max_turns=int(_number(values, "AGENT_MAX_TURNS", default.agent_max_turns, 1, 50, whole=True)),
        agent_time_limit_s=_number(values, "AGENT_TIME_LIMIT_S", default.agent_time_limit_s, 1, 86_400),
        agent_tools=_tool_sets(values.get("AGENT_TOOLS", "")),
        policy=_policy(values.get("AGENT_POLICY", "")),
        agent_token=token,
        agent_watch_token=watch_token,
        agent_allowed_hosts=_hosts(values, "AGENT_ALLOWED_HOSTS"),
    )


def default_base_url(routes: Path = Path("/proc/net/route"), runner: str = RUNNER) -> str:
    """Where a llama-server is likely to be: App Lab's runner, else port 8081 of the host that runs the container."""
    try:
        socket.getaddrinfo(runner, RUNNER_PORT)
    except OSError:
        host = gateway(routes) if Path("/.dockerenv").exists() or Path("/app") == APP_DIR else None
        return f"http://{host or '127.0.0.1'}:{LLAMA_PORT}/v1"
    return f"http://{runner}:{RUNNER_PORT}/v1"


def gateway(routes: Path) -> str | None:
    """The default gateway in a table like `/proc/net/route` (hexadecimal, little-endian); None where there is none."""
    try:
        lines = routes.read_text().splitlines()[1:]
    except OSError:
        return None
    for line in lines:
        columns = line.split()
        if len(columns) > 2 and columns[1] == "00000000":
            return socket.inet_ntoa(struct.pack("<I", int(columns[2], 16)))
    return None


def _number(
    values: Mapping[str, str], name: str, default: float, least: float, most: float, *, whole: bool = False
) -> float:
    text = values.get(name)
    if text is None:
        return default
    try:
        number = int(text) if whole else float(text)
    except ValueError:
        number = float("nan")
    if not least <= number <= most:
        kind = "a whole number" if whole else "a number"
        raise SettingsError(f"{name}={text!r}: must be {kind} from {least:g} to {most:g}.")
    return number


def _url(values: Mapping[str, str], name: str) -> str:
    text = values.get(name, "")
    try:
        parts = urlsplit(text)
        good = not text or (parts.scheme in ("http", "https") and parts.hostname and parts.port != 0)
    except ValueError:
        good = False
    if not good:
        raise SettingsError(f"{name}={text!r}: must be an address such as http://127.0.0.1:8081/v1.")
    return text.rstrip("/")


def _key(values: Mapping[str, str], name: str) -> str:
    key = values.get(name, "")
    if not (key.isascii() and key.isprintable()):
        raise SettingsError(f"{name}: must be plain ASCII characters without line breaks.")
    return key


def _hosts(values: Mapping[str, str], name: str) -> tuple[str, ...]:
    hosts = tuple(host.strip().lower() for host in values.get(name, "").split(",") if host.strip())
    for host in hosts:
        if not re.fullmatch(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*", host):
            raise SettingsError(f"{name}={host!r}: must be names such as board.example.org, with commas between.")
    return hosts


def _folder(values: Mapping[str, str], name: str, default: Path) -> Path:
    text = values.get(name)
    if text is None:
        return default
    if "\0" in text or (Path(text).exists() and not Path(text).is_dir()):
        raise SettingsError(f"{name}={text!r}: must be a folder.")
    return Path(text).absolute()


def _tool_sets(text: str) -> tuple[str, ...]:
    """`files` as a tuple; for more of them, commas between."""
    names = tuple(filter(None, (part.strip().lower() for part in text.split(","))))
    if not set(names) <= set(TOOL_SETS):
        raise SettingsError(f"AGENT_TOOLS={text!r}: must be sets of tools with commas between: {', '.join(TOOL_SETS)}.")
    return names


def _policy(text: str) -> dict[Risk, Decision] | None:
    """`act:ask,change:deny` as a mapping; risks that are not named keep their default."""
    policy: dict[Risk, Decision] = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        risk, _, decision = (part.strip().lower() for part in entry.partition(":"))
        if risk not in RISKS or decision not in DECISIONS:
            raise SettingsError(
                f"AGENT_POLICY={text!r}: must be RISK:DECISION pairs with commas between; "
                f"risks are {', '.join(RISKS)}, decisions {', '.join(DECISIONS)}."
            )
        policy[risk] = decision
    return policy or None
