"""The page as a person sees it, in Chromium, on a board that does what the test says."""

from __future__ import annotations

import json
from typing import Any

import pytest
from browser_page import Page
from scripted_board import CHECK, Run, ScriptedBoard
from selenium.webdriver.common.keys import Keys

DISK = (
    "Check the free space on /home. If there's more than 1GB free, show a checkmark on the matrix, otherwise show an X"
)
CALCULATED = '{"expression":"14.2 > 1","result":true}'


def asked(board: ScriptedBoard, path: str) -> list[Any]:
    return [body for posted, body in board.posts if posted == path]


# --- a run, live


def test_a_run_is_shown_step_by_step_from_the_question_to_the_answer(page: Page, board: ScriptedBoard) -> None:
    run = Run(board, DISK).start()
    page.shows(".asked", DISK)
    page.shows(".activity", "Starting")
    run.turn()
    page.shows(".activity", "Asking the model")
    run.end_turn()
    run.call("calculate", {"expression": "14.2 > 1"})
    page.shows(".card", 'calculate("14.2 > 1")')
    page.shows(".card-word", "running")
    run.got(CALCULATED)
    page.shows(".card-word", "done")
    run.turn()
    run.write("There are 14.2 GB ")
    page.shows(".words", "There are 14.2 GB")
    run.write("free.")
    run.end_turn("There are 14.2 GB free.")
    run.end("There are 14.2 GB free.")
    page.shows(".sentence", "There are 14.2 GB free.")
    article = page.text(".run")
    assert article.count("There are 14.2 GB free.") == 1
    order = [article.index(part) for part in (DISK, "Turn 1", "calculate(", "Turn 2", "There are", "2 turns")]
    assert order == sorted(order)
    assert not page.one(".activity").is_displayed()


def test_reading_shows_how_much_is_left_by_the_tokens_really_read(page: Page, board: ScriptedBoard) -> None:
    run = Run(board, "How warm is it?").start()
    run.turn()
    run.read(processed=400, total=877, cached=27, ms=200_000)
    page.shows(".doing", "Reading 373 of 850 tokens, 27 reused")
    page.shows(".time", "about 4 min left")
    bar = page.one("progress")
    assert (bar.get_attribute("value"), bar.get_attribute("max")) == ("373", "850")
    run.read(processed=877, total=877, cached=27, ms=400_000)
    page.shows(".doing", "Writing")
    assert not bar.is_displayed()


def test_waiting_says_why(page: Page, board: ScriptedBoard) -> None:
    Run(board, "Hello").start().push("waiting", reason="The model is loading.")
    page.shows(".activity", "The model is loading.")


def test_an_open_call_has_a_running_clock(page: Page, board: ScriptedBoard) -> None:
    run = Run(board, "Hello").start()
    run.turn()
    run.call("get_system_info", {})
    first = page.until(lambda: page.text(".card-clock"))
    page.until(lambda: page.text(".card-clock") != first)


@pytest.mark.parametrize(
    ("state", "word"),
    [("done", "done"), ("failed", "failed"), ("denied", "denied"), ("repeated", "answered before")],
)
def test_a_call_says_by_word_and_icon_how_it_went(page: Page, board: ScriptedBoard, state: str, word: str) -> None:
    Run(board, "Hello").start().step("calculate", {"expression": "1/0"}, '{"error":"division by zero"}', state)
    page.shows(".card-word", word)
    assert page.one(".card-icon use").get_attribute("href") == f"#icon-{state}"


def test_calls_that_change_the_board_look_different_from_calls_that_read(page: Page, board: ScriptedBoard) -> None:
    run = Run(board, "Hello").start()
    run.step("calculate", {"expression": "1"}, "{}")
    run.step("set_led_matrix", {"pattern": "x"}, "{}", risk="act")
    page.until(lambda: len(page.all(".card")) == 2)
    read, act = (card.value_of_css_property("background-color") for card in page.all(".card"))
    assert read != act


def test_a_result_is_one_line_until_a_click_shows_it_exactly(page: Page, board: ScriptedBoard) -> None:
    result = json.dumps({"content": "  two  spaces\n" + "line\n" * 5})
    Run(board, "Hello").start().step("read_file", {"path": "notes.txt"}, result)
    summary = page.one(".result summary")
    whole = page.one(".result pre")
    assert not whole.is_displayed()
    summary.click()
    assert page.until(whole.is_displayed)
    assert whole.get_attribute("textContent") == result


def test_what_the_harness_put_right_in_a_call_is_told(page: Page, board: ScriptedBoard) -> None:
    run = Run(board, "Hello").start()
    run.turn()
    run.call("set_builtin_led", {"state": True}, "act")
    run.got("{}", repairs=['"on" taken as true'])
    page.shows(".card-note", '"on" taken as true')


def test_numbers_that_are_in_no_result_are_marked_beside_the_exact_results(page: Page, board: ScriptedBoard) -> None:
    run = Run(board, "Hello").start()
    run.step("calculate", {"expression": "27/2"}, '{"expression":"27/2","result":13.5}')
    run.step("set_builtin_led", {"state": True}, '{"ok":true,"led":true}', risk="act")
    run.end("It is 13.5, not 3 or 3.5. 3.", doubtful=["3", "3.5"])
    page.shows(".doubt", "not a number of the results")
    assert page.texts(".sentence mark") == ["3", "3.5", "3"]
    assert page.texts(".exact dd") == ['{"expression":"27/2","result":13.5}']


def test_each_turn_and_the_run_tell_what_they_cost(page: Page, board: ScriptedBoard) -> None:
    run = Run(board, "Hello").start()
    run.step("calculate", {"expression": "1"}, "{}")
    run.end("One.")
    page.shows(".turn-cost", "23 read · 854 reused · 17 written · 1.9 s")
    page.shows(".cost", "1 turn · 112 read · 790 reused · 61 written · 9.8 s")


@pytest.mark.parametrize(
    ("stopped", "words"),
    [("turn_limit", "limit of turns"), ("time_limit", "time"), ("stopped", "Stopped"), ("error", "Not answered")],
)
def test_a_run_that_did_not_end_with_an_answer_says_so(
    page: Page, board: ScriptedBoard, stopped: str, words: str
) -> None:
    run = Run(board, "Hello").start()
    run.turn()
    run.call("get_system_info", {})
    run.end("What is known so far.", stopped, error="llama-server closed the connection. Ask again.")
    page.shows(".ending", words)
    page.shows(".run-error", "Ask again.")
    page.shows(".card-word", "stopped")


def test_a_turn_that_starts_again_forgets_what_it_wrote_before(page: Page, board: ScriptedBoard) -> None:
    run = Run(board, "Hello").start()
    run.turn()
    run.write("Half a sen")
    page.shows(".words", "Half a sen")
    run.push("turn_started", turn=1, final=False)
    run.write("A whole sentence.")
    page.until(lambda: page.texts(".words") == ["A whole sentence."])


# --- asking


def test_a_question_is_asked_with_the_keyboard_alone(page: Page, board: ScriptedBoard) -> None:
    page.press("/")
    page.press("How warm is the board?")
    page.press(Keys.ENTER)
    page.until(lambda: asked(board, "/ask"))
    (body,) = asked(board, "/ask")
    assert body["question"] == "How warm is the board?"
    assert body["detach"] is True
    assert len(body["client"]) >= 16
    page.until(lambda: page.one("#question").get_attribute("value") == "")
    Run(board, "How warm is the board?").start()
    page.shows(".who", "You asked")


def test_a_refused_question_is_kept_and_the_reason_is_shown(page: Page, board: ScriptedBoard) -> None:
    board.refusal = (503, "32 questions wait already; ask again in a minute.")
    page.one("#question").send_keys("Turn on the LED")
    page.one("#ask-button").click()
    page.shows("#ask-error", "32 questions wait already; ask again in a minute.")
    assert page.one("#question").get_attribute("value") == "Turn on the LED"
    board.refusal = None
    page.one("#ask-button").click()
    page.until(lambda: page.text("#ask-error") == "")


def test_an_empty_question_is_not_sent(page: Page, board: ScriptedBoard) -> None:
    page.one("#question").send_keys("  ", Keys.ENTER)
    page.shows("#ask-error", "Write a question first.")
    assert asked(board, "/ask") == []


def test_the_empty_page_offers_six_questions_and_a_click_asks_one(page: Page, board: ScriptedBoard) -> None:
    examples = page.all("#empty .example")
    assert len(examples) == 6
    assert DISK in [example.text for example in examples]
    examples[-1].click()
    page.until(lambda: asked(board, "/ask"))
    assert asked(board, "/ask")[0]["question"] == DISK
    Run(board, DISK).start()
    page.until(lambda: not page.one("#empty").is_displayed())
    page.one("#more summary").click()
    page.until(page.all("#more .example")[0].is_displayed)
    page.one("h1").click()
    page.until(lambda: not page.all("#more .example")[0].is_displayed())


# --- the line


def test_everyone_sees_who_is_next_and_can_leave_their_own_place(page: Page, board: ScriptedBoard) -> None:
    board.asked_as = "w9"
    page.one("#question").send_keys("Mine", Keys.ENTER)
    page.until(lambda: asked(board, "/ask"))
    waiting = [{"run": f"w{n}", "question": f"Question {n}", "position": n, "ahead_s": 12.0 * n} for n in range(1, 10)]
    board.push("queue", running="r1", waiting=waiting)
    page.shows(".line-title", "9 questions")
    assert page.texts(".line-list .place")[:2] == ["next, about 12 s", "place 2, about 24 s"]
    page.shows(".line-list .own", "place 9, about 2 min")
    page.shows(".line-more", "and 4 more")
    page.one(".line-list .own button").click()
    page.until(lambda: asked(board, "/stop") == [{"run": "w9"}])
    board.push("queue", running=None, waiting=[])
    page.until(lambda: not page.one("#line").is_displayed())


# --- stop


def test_stop_works_only_while_something_runs_and_never_moves(page: Page, board: ScriptedBoard) -> None:
    stop = page.one("#stop")
    place = page.place("#stop")
    assert not stop.is_enabled()
    run = Run(board, "Hello").start()
    page.until(stop.is_enabled)
    assert page.place("#stop") == place
    stop.click()
    page.until(lambda: asked(board, "/stop") == [{"run": "r1"}])
    run.end("Stopped.", "stopped")
    page.until(lambda: not stop.is_enabled())
    assert page.place("#stop") == place


def test_escape_stops_also_while_a_question_is_typed(page: Page, board: ScriptedBoard) -> None:
    Run(board, "Hello").start()
    page.until(page.one("#stop").is_enabled)
    page.one("#question").send_keys("Next quest", Keys.ESCAPE)
    page.until(lambda: asked(board, "/stop") == [{"run": "r1"}])
    assert page.one("#question").get_attribute("value") == "Next quest"


# --- approval


def needs_yes(board: ScriptedBoard, run: str = "r1") -> Run:
    told = Run(board, "Write it down", run).start()
    told.turn()
    told.call("write_file", {"path": "a.txt", "content": "two  spaces"}, "change")
    told.need_yes()
    return told


@pytest.mark.parametrize(("key", "yes"), [("y", True), ("n", False)])
def test_an_open_card_is_answered_by_a_key(page: Page, board: ScriptedBoard, key: str, yes: bool) -> None:
    run = needs_yes(board)
    page.shows(".card-word", "needs a yes")
    page.shows(".ask-args", 'write_file(path: "a.txt", content: "two  spaces")')
    page.shows(".countdown", "no in ")
    page.press(key)
    page.until(lambda: asked(board, "/approve") == [{"run": "r1", "call": 1, "approve": yes}])
    run.push("approval_answered", turn=1, call=1, approved=yes, reason="someone on the page answered")
    page.until(lambda: not page.all(".question-to-you"))
    page.shows(".card-note", "someone on the page answered")


def test_letters_typed_into_the_question_answer_no_card(page: Page, board: ScriptedBoard) -> None:
    needs_yes(board)
    page.shows(".card-word", "needs a yes")
    page.one("#question").send_keys("yn")
    page.one(".question-to-you .no").click()
    page.until(lambda: asked(board, "/approve"))
    assert asked(board, "/approve") == [{"run": "r1", "call": 1, "approve": False}]


def test_an_answer_that_comes_too_late_says_so(page: Page, board: ScriptedBoard) -> None:
    needs_yes(board, run="late")
    page.one(".question-to-you .yes").click()
    page.shows(".ask-note", "this question is answered already")


# --- the board


def test_the_matrix_is_drawn_as_the_board_reports_it(page: Page, board: ScriptedBoard) -> None:
    board.push("board", ok=True, led=True, matrix=CHECK, pattern="check")
    page.shows("#matrix-text", "matrix: check")
    assert page.one("#matrix").get_attribute("aria-label") == "matrix: check"
    assert page.text("#lamp-text") == "LED: on"
    lit = page.js("return [...document.querySelectorAll('#matrix circle')].map((dot) => +dot.dataset.level)")
    assert lit == CHECK


def test_the_brightness_of_a_dot_can_be_seen(page: Page, board: ScriptedBoard) -> None:
    board.push("board", ok=True, led=False, matrix=[n % 8 for n in range(13)] + [0] * 91, pattern=None)
    page.shows("#matrix-text", "matrix: 11 dots lit in row 0")
    fills = page.js("return [...document.querySelectorAll('#matrix circle')].map((dot) => getComputedStyle(dot).fill)")
    assert len(set(fills)) == 8


def test_a_sketch_that_does_not_answer_is_said_and_seen(page: Page, board: ScriptedBoard) -> None:
    board.push("board", ok=False, error="no answer from the sketch: it is being flashed")
    page.shows("#board-error", "no answer from the sketch")
    assert page.one("#matrix").get_attribute("aria-label") == "matrix: not known"
    assert float(page.style("#matrix", "opacity")) < 0.5


# --- the model and the status


def test_a_model_that_is_away_is_told_with_the_remedy(page: Page, board: ScriptedBoard) -> None:
    page.shows("#model", "board-agent-135m")
    page.shows("#model", "quick, only good at its tools")
    page.shows("#model", "prefix ready")
    for number in range(6):
        Run(board, f"Question {number}", f"n{number}").start().end("Yes.")
    board.push("model", ok=False, error="llama-server does not answer at 172.19.0.1:8081; start it with --host 0.0.0.0")
    page.shows("#banner strong", "llama-server does not answer at 172.19.0.1:8081.")
    page.shows("#banner", "Start it with --host 0.0.0.0.")
    page.shows("#model", "no model")
    assert page.text("#model-about") == ""
    page.until(lambda: page.js("return scrollY") > 100)
    assert page.place("#banner")["top"] >= page.place(".top")["bottom"]


def test_the_status_is_asked_for_only_while_it_is_open(page: Page, board: ScriptedBoard) -> None:
    page.shows("#status", "read allow, act allow, change ask, disruptive deny")
    page.shows("#status .unavailable", "no answer from the sketch")
    page.shows("#status", "31, 2 failed, 1 denied")
    page.shows("#status", "412 of 4,096 tokens used")
    page.one("#status-button").click()
    page.until(lambda: not page.one("#status").is_displayed())
    reads = board.status_reads
    page.js("document.dispatchEvent(new Event('visibilitychange'))")
    page.one("#status-button").click()
    page.until(lambda: board.status_reads > reads)
    assert board.status_reads == reads + 1


# --- the connection


def test_a_page_opened_in_the_middle_of_a_run_shows_it_from_its_beginning(page: Page, board: ScriptedBoard) -> None:
    run = Run(board, DISK).start()
    run.step("calculate", {"expression": "14.2 > 1"}, CALCULATED)
    run.turn()
    run.write("There are ")
    page.open()
    run.write("14.2 GB")
    page.shows(".words", "There are 14.2 GB")
    assert page.texts(".asked") == [DISK]
    assert page.texts(".card-word") == ["done"]


def test_a_dropped_connection_comes_back_and_misses_nothing(page: Page, board: ScriptedBoard) -> None:
    run = Run(board, "Hello").start()
    run.turn()
    run.write("one ")
    page.shows(".words", "one")
    board.drop()
    run.write("two ")
    page.until(lambda: board.hellos[-1] is True)
    run.write("three")
    page.until(lambda: page.texts(".words") == ["one two three"])
    assert len(page.all(".run")) == 1


def test_a_lost_server_is_told_until_it_is_back(page: Page, board: ScriptedBoard) -> None:
    Run(board, "Hello").start()
    page.shows(".asked", "Hello")
    board.away = True
    board.drop()
    page.shows("#banner", "The connection to the board is lost.")
    page.shows("#board-error", "not connected")
    board.away = False
    page.until(lambda: page.text("#banner") == "")
    page.shows(".asked", "Hello")
    assert len(page.all(".run")) == 1


def test_a_restarted_server_clears_the_page(page: Page, board: ScriptedBoard) -> None:
    Run(board, "Before the restart").start()
    page.shows(".asked", "Before the restart")
    page.one("#question").send_keys("half typed")
    board.reset()
    page.until(lambda: not page.all(".run"))
    assert page.until(page.one("#empty").is_displayed)
    assert not page.one("#stop").is_enabled()
    assert page.one("#question").get_attribute("value") == "half typed"


def test_two_pages_see_the_same_run(page: Page, board: ScriptedBoard) -> None:
    first = page.driver.current_window_handle
    page.driver.switch_to.new_window("window")
    try:
        page.open()
        run = Run(board, "For both").start()
        run.end("Seen by both.")
        page.shows(".sentence", "Seen by both.")
    finally:
        page.driver.close()
        page.driver.switch_to.window(first)
    page.shows(".sentence", "Seen by both.")


# --- what must not break it


def test_html_and_endless_text_stay_text_and_fit_the_screen(page: Page, board: ScriptedBoard) -> None:
    script = "document.title='owned'"
    html = f'<img src=x onerror="{script}"><script>{script}</script><style>*{{display:none}}</style>'
    million = "W" * 1_000_000
    run = Run(board, html + "A" * 500 + " שלום \u202eabc").start()
    run.step(million, {html: million}, json.dumps({"content": html + "\n" * 9000 + million}))
    run.step("calculate", {"expression": html}, html, "failed")
    run.turn()
    run.write(million)
    run.end_turn(html + million)
    run.end(html + million, "stopped", error=html, doubtful=["<img"])
    page.until(lambda: html in page.one(".sentence").get_attribute("textContent"))
    page.shows(".sentence", "more characters are not shown")
    page.js("document.querySelector('.result').open = true")
    for width in (390, 1280):
        page.screen(width, 800)
        assert page.js("return document.documentElement.scrollWidth") <= width
    assert page.driver.title == "Board Agent"
    assert page.all("main img, main script, main style") == []
    assert page.js(
        "const {x, y, width, height} = arguments[0].getBoundingClientRect();"
        "return document.elementFromPoint(x + width / 2, y + height / 2).closest('button') === arguments[0]",
        page.one("#stop"),
    )


def test_only_the_last_twenty_finished_runs_stay_on_the_page(page: Page, board: ScriptedBoard) -> None:
    for number in range(25):
        Run(board, f"Question {number}", f"n{number}").start().end(f"Answer {number}.")
    page.shows(".sentence", "Answer 24.")
    assert page.texts(".asked") == [f"Question {number}" for number in range(5, 25)]


def test_the_page_follows_the_newest_unless_the_reader_scrolled_up(page: Page, board: ScriptedBoard) -> None:
    at_bottom = "return scrollY + innerHeight >= document.documentElement.scrollHeight - 2 && scrollY > 0"
    for number in range(8):
        Run(board, f"Question {number}", f"n{number}").start().end("Yes.")
    page.shows(".asked", "Question 7")
    page.until(lambda: page.js(at_bottom))
    page.js("scrollBy(0, -500)")
    page.until(page.one("#newest").is_displayed)
    where = page.js("return scrollY")
    Run(board, "One more", "n9").start().end("Yes.")
    page.shows(".asked", "One more")
    assert page.js("return scrollY") == where
    page.one("#newest").click()
    page.until(lambda: page.js(at_bottom))
    assert not page.one("#newest").is_displayed()


# --- how it looks, and for whom


def test_projector_mode_is_large_leaves_the_rest_out_and_lives_in_the_address(page: Page, board: ScriptedBoard) -> None:
    page.screen(1920, 1080)
    assert page.style("html", "font-size") == "16px"
    page.one("#projector-button").click()
    assert page.one("#projector-button").get_attribute("aria-pressed") == "true"
    assert page.driver.current_url.endswith("/?projector")
    assert float(page.style("html", "font-size").removesuffix("px")) >= 28
    assert not page.one("#status").is_displayed()
    page.open("?projector")
    page.one("#projector-button").click()
    assert page.driver.current_url.endswith("/")
    assert page.style("html", "font-size") == "16px"


def test_the_page_follows_the_readers_choice_of_dark_and_of_little_motion(page: Page, board: ScriptedBoard) -> None:
    Run(board, "Hello").start()
    page.shows(".asked", "Hello")
    light, moving = page.style("body", "background-color"), page.style(".icon-running", "animation-name")
    page.screen(1280, 800, dark=True, motion="reduce")
    assert page.style("body", "background-color") != light
    assert (moving, page.style(".icon-running", "animation-name")) == ("turn", "none")


def test_changes_of_state_are_announced_but_not_every_word(page: Page, board: ScriptedBoard) -> None:
    page.js("""
        window.said = [];
        new MutationObserver(() => said.push(document.getElementById("announcer").textContent))
            .observe(document.getElementById("announcer"), {childList: true});
    """)
    run = Run(board, "Hello").start()
    run.step("calculate", {"expression": "1"}, "{}")
    page.until(lambda: any("calculate: done" in said for said in page.js("return said")))
    run.turn()
    for word in range(60):
        run.write(f"word{word} ")
    page.shows(".words", "word59")
    run.end("All said.")
    page.until(lambda: any("Answer: All said." in said for said in page.js("return said")))
    assert not any("word1" in said for said in page.js("return said"))
    live = page.all("[aria-live], [role=status], [role=alert], [role=log]")
    assert [region.get_attribute("id") for region in live] == ["banner", "ask-error", "announcer"]


def every_state(board: ScriptedBoard) -> None:
    """A page with a card in every state, a line, an error banner and a marked number on it."""
    done = Run(board, DISK, "a").start()
    for state in ("done", "failed", "denied", "repeated"):
        done.step("calculate", {"expression": state}, CALCULATED, state)
        done.step("set_led_matrix", {"pattern": state}, '{"error":"no"}', state, "act")
    done.turn()
    done.call("get_system_info", {})
    done.end("It is 18.8 GB.", "error", error="The connection was lost. Ask again.", doubtful=["18.8"])
    asks = needs_yes(board, "b")
    asks.turn()
    asks.call("get_system_info", {})
    reads = Run(board, "Reading", "c").start()
    reads.turn()
    reads.read(400)
    board.push("board", ok=False, error="no answer from the sketch: it is being flashed")
    board.push("model", ok=False, error="llama-server does not answer; start it")
    board.push("queue", running="b", waiting=[{"run": "w", "question": "Next", "position": 1, "ahead_s": 3}])


@pytest.mark.parametrize("query", ["", "?projector"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1920, 390])
def test_axe_finds_nothing_to_mend(
    page: Page, board: ScriptedBoard, axe: str, query: str, dark: bool, width: int
) -> None:
    page.screen(width, 1080, dark)
    page.open(query)
    empty = violations(page, axe, strict=bool(query))
    every_state(board)
    page.shows(".line-title", "In line")
    page.js("for (const details of document.querySelectorAll('details')) details.open = true")
    assert empty + violations(page, axe, strict=bool(query)) == []


def violations(page: Page, axe: str, strict: bool) -> list[str]:
    """What axe objects to, best practices included; with `strict` also text of less contrast than AAA asks for."""
    if not page.js("return 'axe' in window"):
        page.js(axe)
    found = page.driver.execute_async_script(
        """
        const [strict, done] = arguments;
        axe.run({rules: {"color-contrast-enhanced": {enabled: strict}}}).then((found) => done(found.violations));
        """,
        strict,
    )
    return [f"{rule['id']}: {node['html'][:200]} {node['failureSummary']}" for rule in found for node in rule["nodes"]]


def test_the_page_needs_nothing_from_elsewhere_and_breaks_no_rule_of_its_own(page: Page, board: ScriptedBoard) -> None:
    page.driver.get_log("browser")
    page.open()
    every_state(board)
    page.shows(".line-title", "In line")
    urls = page.js("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert [url for url in urls if not url.startswith(board.url)] == []
    assert page.driver.get_log("browser") == []
