"""One conversation for each browser, the workspace, and what a run changed in it."""

from __future__ import annotations

from typing import Any

import pytest
from browser_page import Page
from scripted_board import Run, ScriptedBoard
from selenium.webdriver.common.keys import Keys

DIFF = "--- log.txt\n+++ log.txt\n@@ -1,2 +1,2 @@\n 09:00 21.4\n-12:00 24.8\n+12:00 <b>25.0</b>"


@pytest.fixture(autouse=True)
def _no_conversation(page: Page) -> Any:
    page.js("localStorage.clear()")
    page.open()
    yield
    page.js("localStorage.clear()")


def asked(page: Page, board: ScriptedBoard, text: str) -> dict[str, Any]:
    """What the page sent for a question typed and entered."""
    before = len(board.posts)
    field = page.one("#question")
    field.click()
    field.send_keys(text, Keys.ENTER)
    page.until(lambda: len(board.posts) > before and not page.one("#ask-button").get_attribute("disabled"))
    return board.posts[-1][1]


def test_questions_belong_to_one_conversation_until_a_new_one_is_wanted(page: Page, board: ScriptedBoard) -> None:
    new = page.one("#new-button")
    assert not new.is_displayed()
    assert asked(page, board, "Turn on the LED")["conversation"] == "new"
    page.until(new.is_displayed)
    assert asked(page, board, "Turn it off again")["conversation"] == "c1"
    new.click()
    page.until(lambda: not new.is_displayed())
    assert asked(page, board, "How warm is it?")["conversation"] == "new"


def test_the_conversation_survives_a_reload_and_the_field_says_so(page: Page, board: ScriptedBoard) -> None:
    asked(page, board, "Turn on the LED")
    page.open()
    assert "follow-up" in (page.one("#question").get_attribute("placeholder") or "")
    assert asked(page, board, "Turn it off again")["conversation"] == "c1"


def test_a_conversation_that_the_board_forgot_is_begun_anew_without_a_word(page: Page, board: ScriptedBoard) -> None:
    page.js("localStorage.setItem('conversation', 'forgotten')")
    asked(page, board, "Turn it off again")
    page.until(lambda: [body["conversation"] for _, body in board.posts] == ["forgotten", "new"])
    assert page.text("#ask-error") == ""
    page.until(lambda: page.js("return localStorage.getItem('conversation')") == "c1")


def test_an_answer_says_how_much_of_the_past_was_sent(page: Page, board: ScriptedBoard) -> None:
    run = Run(board, "And now?").start()
    run.end("On.", history={"runs_kept": 3, "runs_dropped": 2, "tokens": 400})
    page.shows(".cost", "3 earlier questions in mind, 2 left out")


def test_a_conversation_that_cannot_be_kept_is_said_and_taken_back(page: Page, board: ScriptedBoard) -> None:
    board.push("memory", ok=False, count=0, error="Conversations are not kept: the disk is full; free some space.")
    page.shows("#banner", "Conversations are not kept: the disk is full. Free some space.")
    board.push("memory", ok=True, count=0, error=None)
    page.until(lambda: page.text("#banner") == "")


def test_the_workspace_is_folded_and_shows_a_file_as_text(page: Page, board: ScriptedBoard) -> None:
    assert page.texts(".file-list li") == []
    page.one("#files > summary").click()
    page.shows(".file summary", "log.txt")
    assert "11 bytes" in page.texts(".file summary")[0]
    page.all(".file summary")[1].click()
    page.until(lambda: page.all(".file-text")[1].text == "<b>bold</b>")


def test_an_open_workspace_follows_a_change(page: Page, board: ScriptedBoard) -> None:
    page.one("#files > summary").click()
    page.one(".file summary").click()
    page.until(lambda: page.all(".file-text")[0].text == "09:00 21.4")
    board.files = [("log.txt", "12:00 24.8"), ("new.txt", "x")]
    Run(board, "Hello").start().push(
        "file_changed", path="new.txt", created=True, added=1, removed=0, diff="", backup=""
    )
    page.until(lambda: len(page.all(".file")) == 2 and "new.txt" in page.texts(".file summary")[1])
    page.until(lambda: page.all(".file-text")[0].text == "12:00 24.8")


def test_a_change_is_one_line_until_a_click_shows_the_difference_as_text(page: Page, board: ScriptedBoard) -> None:
    run = Run(board, "Correct it").start()
    run.turn()
    run.call("patch_file", {"path": "log.txt"}, "change")
    run.push("file_changed", path="log.txt", created=False, added=1, removed=1, diff=DIFF, backup="log.txt.bak")
    page.shows(".change summary", "Changed log.txt +1 −1")
    assert not page.one(".diff").is_displayed()
    page.one(".change summary").click()
    page.until(lambda: page.texts(".diff .added") == ["+12:00 <b>25.0</b>"])
    assert page.texts(".diff .removed") == ["-12:00 24.8"]
    assert "log.txt.bak" in page.text(".change")


@pytest.mark.parametrize("dark", [False, True])
def test_the_new_panels_are_accessible(page: Page, board: ScriptedBoard, axe: str, dark: bool) -> None:
    page.screen(1280, 800, dark=dark)
    run = Run(board, "Correct it").start()
    run.push("file_changed", path="log.txt", created=False, added=1, removed=1, diff=DIFF, backup="log.txt.bak")
    page.one(".change summary").click()
    page.one("#files > summary").click()
    page.one(".file summary").click()
    page.until(lambda: page.all(".file-text")[0].text == "09:00 21.4")
    page.js(axe)
    found = page.driver.execute_async_script(
        "axe.run(document, {}).then((r) => arguments[0](r.violations.map((v) => v.id + ': ' + v.nodes[0].html)))"
    )
    assert found == []
