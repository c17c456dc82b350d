"""The page on the real app: real line, feed, policy and web; only the model is scripted and the Bridge is a fake."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import requests
from browser_page import Page
from selenium.webdriver.common.keys import Keys

from board_agent.toolbox import Tool
from tests.unit.house import Hold, TestHouse
from tests.unit.scripted import call, calling, saying

LAMP = calling(call("set_builtin_led", {"state": True}))
Open = Callable[..., tuple[TestHouse, Page]]


@pytest.fixture
def start(browser: Any) -> Iterator[Open]:
    """Builds the app with a script and opens its page."""
    houses: list[TestHouse] = []

    def build(*script: Any, **options: Any) -> tuple[TestHouse, Page]:
        house = TestHouse(*script, **options)
        houses.append(house)
        page = Page(browser, house.url)
        page.screen(1280, 800)
        page.open()
        return house, page

    yield build
    browser.get("about:blank")
    for house in houses:
        house.close()


def ask(page: Page, question: str = "Light it") -> None:
    page.js("document.querySelector('#question').focus()")
    page.press(question, Keys.ENTER)


def test_a_question_is_asked_and_answered_with_its_steps(start: Open) -> None:
    house, page = start(LAMP, saying("The LED is on."))
    ask(page)
    page.shows(".answer", "The LED is on.")
    page.shows(".card", "set_builtin_led")
    page.shows("#lamp-text", "LED: on")
    assert house.bridge.led


def test_two_pages_watch_one_run(start: Open, browser: Any) -> None:
    hold = Hold(saying("Done."))
    house, page = start(LAMP, hold)
    first = browser.current_window_handle
    browser.switch_to.new_window("tab")
    page.open()
    requests.post(f"{house.url}/ask", json={"question": "Light it", "detach": True}, timeout=5)
    hold.reached.wait(10)
    for window in [browser.current_window_handle, first]:
        browser.switch_to.window(window)
        page.shows(".card", "set_builtin_led")
    hold.release()
    page.shows(".answer", "Done.")
    browser.switch_to.window(next(window for window in browser.window_handles if window != first))
    page.shows(".answer", "Done.")
    browser.close()
    browser.switch_to.window(first)


def test_a_reload_in_the_middle_of_a_run_neither_ends_it_nor_loses_a_step(start: Open) -> None:
    hold = Hold(saying("Done."))
    house, page = start(LAMP, hold)
    ask(page)
    hold.reached.wait(10)
    page.open(wait=False)
    page.shows(".card", "set_builtin_led")
    hold.release()
    page.shows(".answer", "Done.")
    assert house.runs.counters["answered"] == 1


def test_stop_while_the_model_works(start: Open) -> None:
    hold = Hold()
    house, page = start(hold)
    ask(page)
    hold.reached.wait(10)
    page.until(lambda: page.one("#stop").is_enabled())
    page.one("#stop").click()
    page.shows(".run", "Stopped")
    page.until(lambda: not page.one("#stop").is_enabled())
    assert ("all_off",) in house.bridge.calls


def test_stop_while_a_tool_runs(start: Open) -> None:
    gate, reached = threading.Event(), threading.Event()

    def slow() -> dict[str, Any]:
        """Takes its time."""
        reached.set()
        gate.wait(30)
        return {}

    _, page = start(calling(call("slow")), tools=[Tool(slow, timeout_s=60)])
    ask(page)
    reached.wait(10)
    page.press(Keys.ESCAPE)
    page.shows(".run", "Stopped")
    gate.set()


def test_stop_while_the_router_is_silent(start: Open) -> None:
    house, page = start(LAMP)
    house.bridge.hang = threading.Event()
    ask(page)
    page.shows(".card", "set_builtin_led")
    page.press(Keys.ESCAPE)
    page.shows(".run", "Stopped")
    house.bridge.hang.set()


def test_stop_while_a_yes_is_waited_for(start: Open) -> None:
    house, page = start(LAMP, policy={"act": "ask"})
    ask(page)
    page.shows(".card-word", "needs a yes")
    page.press(Keys.ESCAPE)
    page.shows(".run", "Stopped")
    assert not house.bridge.led


@pytest.mark.parametrize(("key", "lit", "word"), [("y", True, "done"), ("n", False, "denied")])
def test_a_card_is_answered_from_the_keyboard(start: Open, key: str, lit: bool, word: str) -> None:
    house, page = start(LAMP, saying("All right."), policy={"act": "ask"})
    ask(page)
    page.shows(".card-word", "needs a yes")
    page.press(key)
    page.shows(".card-word", word)
    page.shows(".answer", "All right.")
    assert house.bridge.led is lit


def test_nobody_answering_a_card_is_a_no(start: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("board_agent.agent.APPROVAL_TIMEOUT_S", 0.5)
    house, page = start(LAMP, saying("Nobody agreed."), policy={"act": "ask"})
    ask(page)
    page.shows(".card-word", "denied")
    page.shows(".answer", "Nobody agreed.")
    assert not house.bridge.led


def test_thirty_questions_in_line_are_answered_in_order_on_the_page(start: Open) -> None:
    house, page = start(*[saying(f"answer {n}") for n in range(30)])
    hold = house.model.script[0] = Hold(saying("answer 0"))
    for n in range(30):
        requests.post(f"{house.url}/ask", json={"question": f"question {n}", "detach": True}, timeout=5)
    page.shows(".line-title", "29 questions")
    hold.release()
    page.shows(".answer", "answer 29")
    answers = page.texts(".answer")
    assert answers == [f"answer {n}" for n in range(30 - len(answers), 30)]


def test_a_reply_full_of_html_stays_text(start: Open) -> None:
    html = '<img src=x onerror="document.title=1"><script>document.title=2</script><b>bold</b>'
    _, page = start(saying(html))
    title = page.driver.title
    ask(page, "<i>question</i>")
    page.shows(".answer", "<b>bold</b>")
    assert page.driver.title == title
    assert page.all(".run img, .run b, .run i, .run script") == []
