"""One browser and one scripted board for all tests of the page."""

from __future__ import annotations

import importlib.util
import logging
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser_page import Page
from scripted_board import ScriptedBoard
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

CHROMIUM_FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not chromium or not driver:
        missing = "Chromium and chromedriver are not installed, so the page is not tested in a browser"
        if "chromium" in os.environ.get("BOARD_AGENT_REQUIRE", "").split(","):
            pytest.fail(missing)
        pytest.skip(missing)
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in CHROMIUM_FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = webdriver.Chrome(options=options, service=Service(executable_path=driver))
    yield chrome
    chrome.quit()


@pytest.fixture(scope="session")
def server() -> Iterator[ScriptedBoard]:
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    board = ScriptedBoard()
    yield board
    board.close()


@pytest.fixture
def board(server: ScriptedBoard) -> ScriptedBoard:
    server.reset()
    return server


@pytest.fixture
def page(board: ScriptedBoard, browser: Any) -> Page:
    """The page, freshly opened on a laptop's screen, nothing asked yet."""
    page = Page(browser, board.url)
    page.screen(1280, 800)
    page.open()
    return page


@pytest.fixture(scope="session")
def axe() -> str:
    """The axe accessibility checker as a script."""
    spec = importlib.util.find_spec("axe_core_python")
    if spec and spec.submodule_search_locations:
        return (Path(spec.submodule_search_locations[0]) / "axe.min.js").read_text()
    missing = "axe is not installed (it is in the Python package axe-core-python)"
    if "chromium" in os.environ.get("BOARD_AGENT_REQUIRE", "").split(","):
        pytest.fail(missing)
    pytest.skip(missing)
