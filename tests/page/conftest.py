"""One browser and one scripted board for all tests of the page."""

from __future__ import annotations

import importlib.util
import logging
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from scripted_board import ScriptedBoard

webdriver = pytest.importorskip("selenium.webdriver")

from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.remote.webelement import WebElement  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

CHROMIUM_FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


class Page:
    """The page in a browser, with the words a test needs to speak of it."""

    def __init__(self, driver: Any, url: str) -> None:
        self.driver, self.url = driver, url

    def open(self, query: str = "", wait: bool = True) -> None:
        self.driver.get("about:blank")
        self.driver.get(f"{self.url}/{query}")
        if wait:
            self.until(lambda: self.text("#matrix-text") == "matrix: off")

    def screen(self, width: int, height: int, dark: bool = False, motion: str = "no-preference") -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        features = {"prefers-color-scheme": "dark" if dark else "light", "prefers-reduced-motion": motion}
        media = {"features": [{"name": name, "value": value} for name, value in features.items()]}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)

    def all(self, selector: str) -> list[WebElement]:
        return list(self.driver.find_elements(By.CSS_SELECTOR, selector))

    def one(self, selector: str) -> WebElement:
        return self.until(lambda: (self.all(selector) or [None])[0])

    def text(self, selector: str) -> str:
        """The visible text of the first match, "" when there is none."""
        return self.js("return document.querySelector(arguments[0])?.innerText.trim() ?? ''", selector)

    def texts(self, selector: str) -> list[str]:
        return self.js("return [...document.querySelectorAll(arguments[0])].map((n) => n.innerText.trim())", selector)

    def shows(self, selector: str, text: str) -> None:
        """Waits until the text stands in a match."""
        self.until(lambda: any(text in shown for shown in self.texts(selector)), f"{text!r} in {selector}")

    def until(self, condition: Callable[[], Any], what: str = "") -> Any:
        return WebDriverWait(self.driver, 8, poll_frequency=0.04).until(lambda _: condition(), what)

    def js(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def style(self, selector: str, name: str) -> str:
        return self.js("return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]", selector, name)

    def place(self, selector: str) -> dict[str, float]:
        """Where it is on the screen."""
        return self.js("return document.querySelector(arguments[0]).getBoundingClientRect().toJSON()", selector)

    def press(self, *keys: str) -> None:
        """Keys as the person at the keyboard presses them: they go wherever the focus is."""
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)


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
    """The axe accessibility checker as a script. Either package ships it; the first has the newer one."""
    for package in ("axe_playwright_python", "axe_core_python"):
        spec = importlib.util.find_spec(package)
        if spec and spec.submodule_search_locations:
            return (Path(spec.submodule_search_locations[0]) / "axe.min.js").read_text()
    missing = "axe is not installed (it is in the Python package axe-core-python)"
    if "chromium" in os.environ.get("BOARD_AGENT_REQUIRE", "").split(","):
        pytest.fail(missing)
    pytest.skip(missing)
