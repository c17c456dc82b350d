"""The doctor on the page, on the real app with a scripted model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from browser_page import Page

from tests.unit.house import TestHouse
from tests.unit.scripted import call, calling, saying


@pytest.fixture
def house() -> Iterator[TestHouse]:
    built = TestHouse(calling(call("calculate", {"expression": "47 * 89"})))
    yield built
    built.close()


@pytest.fixture
def page(browser: Any, house: TestHouse) -> Iterator[Page]:
    page = Page(browser, house.url)
    page.screen(1280, 800)
    page.open()
    yield page
    browser.get("about:blank")


def look(page: Page) -> None:
    page.js("document.querySelector('#doctor').open = false")
    page.js("document.querySelector('#doctor > summary').click()")


def test_every_link_is_shown_with_what_was_seen(page: Page) -> None:
    look(page)
    page.shows("#doctor-links", "temperature: ok")
    assert [text.partition(":")[0] for text in page.texts("#doctor-links strong")][:3] == [
        "app",
        "llama-server",
        "tool call",
    ]
    assert "To mend it" not in page.text("#doctor-links")


def test_the_first_broken_link_is_explained_and_looked_at_again(
    page: Page, house: TestHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("board_agent.doctor.FRESH_S", -1)
    house.model.script = [saying("<img src=x onerror=alert(1)> I cannot."), calling(call("calculate"))]
    house.facts["home_free_gb"] = 0.01
    look(page)
    page.shows("#doctor-links", "disk: broken")
    text = page.text("#doctor-links")
    assert "tool call: broken" in text
    assert "--jinja" in text
    assert text.count("Why:") == text.count("To mend it:") == 1
    assert not page.all("#doctor-links img")
    house.facts["home_free_gb"] = 14.2
    look(page)
    page.until(lambda: "broken" not in page.text("#doctor-links") and "temperature: ok" in page.text("#doctor-links"))


@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing_to_mend_in_the_list(page: Page, house: TestHouse, axe: str, width: int) -> None:
    house.facts["cpu_temp_c"] = 99.0
    page.screen(width, 800)
    look(page)
    page.shows("#doctor-links", "temperature: broken")
    page.js(axe)
    found = page.driver.execute_async_script("axe.run(document).then((found) => arguments[0](found.violations))")
    assert [rule["id"] for rule in found] == []
