"""The pins: App Lab must get exactly the packages they name, on CPython 3.13 on aarch64, without compiling anything."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from board_agent import __version__
from simulator import cache_dir

ROOT = Path(__file__).resolve().parent.parent
APP = ROOT / "python" / "requirements.txt"
FILES = [APP, *(ROOT / place / "requirements.txt" for place in ("simulator", "bench", "evals", "tests"))]
PLATFORMS = ["manylinux2014_aarch64", "manylinux_2_17_aarch64", "manylinux_2_28_aarch64"]
BOARD = {
    "implementation_name": "cpython",
    "os_name": "posix",
    "platform_machine": "aarch64",
    "platform_python_implementation": "CPython",
    "platform_system": "Linux",
    "python_full_version": "3.13.0",
    "python_version": "3.13",
    "sys_platform": "linux",
    "extra": "",
}


def pins(file: Path) -> dict[str, str]:
    lines = [line.partition("#")[0].strip() for line in file.read_text(encoding="utf-8").splitlines()]
    return {canonicalize_name(name): version for name, _, version in (line.partition("==") for line in lines if line)}


def resolved_for_the_board() -> list[dict[str, Any]]:
    """The metadata of what pip would install on the board; kept in the cache, as it changes only with the file."""
    key = hashlib.sha256(APP.read_bytes() + repr(PLATFORMS).encode()).hexdigest()[:16]
    kept = cache_dir() / "resolved" / f"{key}.json"
    if not kept.exists():
        command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--quiet"]
        command += ["--dry-run", "--ignore-installed", "--target", "unused", "--report", "-"]
        command += ["--only-binary=:all:", "--implementation", "cp", "--python-version", "3.13"]
        command += [word for platform in PLATFORMS for word in ("--platform", platform)]
        done = subprocess.run([*command, "--requirement", str(APP)], capture_output=True, text=True)
        if "NewConnectionError" in done.stderr or "Temporary failure in name resolution" in done.stderr:
            pytest.skip("the package index cannot be reached")
        assert done.returncode == 0, done.stderr
        metadata = [entry["metadata"] for entry in json.loads(done.stdout)["install"]]
        kept.parent.mkdir(parents=True, exist_ok=True)
        unfinished = kept.with_suffix(".unfinished")
        unfinished.write_text(json.dumps(metadata), encoding="utf-8")
        unfinished.replace(kept)
    metadata_kept: list[dict[str, Any]] = json.loads(kept.read_text(encoding="utf-8"))
    return metadata_kept


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_every_requirement_is_pinned_exactly(file: Path) -> None:
    lines = [line.partition("#")[0].strip() for line in file.read_text(encoding="utf-8").splitlines()]
    assert [line for line in lines if line and not re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.]*", line)] == []


def test_no_two_files_disagree() -> None:
    names = [name for file in FILES for name in pins(file)]
    assert sorted(names) == sorted(set(names))


def test_the_board_gets_wheels_of_exactly_what_is_pinned() -> None:
    resolved = {canonicalize_name(entry["name"]): entry["version"] for entry in resolved_for_the_board()}
    assert resolved == pins(APP)


def test_all_that_the_pinned_packages_need_on_the_board_is_pinned() -> None:
    pinned = pins(APP)
    missing = [
        f"{entry['name']} needs {need}"
        for entry in resolved_for_the_board()
        for need in map(Requirement, entry.get("requires_dist", []))
        if not need.marker or need.marker.evaluate(dict(BOARD))
        if not need.specifier.contains(pinned.get(canonicalize_name(need.name), "0.0.dev0"))
    ]
    assert missing == []


def test_the_app_names_its_port_and_no_bricks() -> None:
    lines = (ROOT / "app.yaml").read_text(encoding="utf-8").splitlines()
    settings = {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}
    assert settings["name"] == "Board Agent"
    assert settings["ports"] == "[7000]"
    assert settings["bricks"] == "[]"
    assert {"icon", "description", "version"} <= settings.keys()


def test_the_app_has_one_version() -> None:
    assert f"version: {__version__}\n" in (ROOT / "app.yaml").read_text()
