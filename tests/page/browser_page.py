"""The page in a browser, with the words a test needs to speak of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait


class Page:
    """One open page. `until` and what builds on it wait for what the page is about to show."""

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
        return list(self.driver.find_elements("css selector", selector))

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
