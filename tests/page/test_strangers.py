"""Strangers in a real browser: the token, and pages of other sites that try to use the board."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from browser_page import Page
from selenium.webdriver.common.keys import Keys

from board_agent.access import Access
from tests.unit.house import Hold, TestHouse
from tests.unit.scripted import saying

Open = Callable[..., tuple[TestHouse, Page]]


@pytest.fixture
def start(browser: Any) -> Iterator[Open]:
    houses: list[TestHouse] = []

    def build(*script: Any, **tokens: str) -> tuple[TestHouse, Page]:
        house = TestHouse(*script, access=Access(**tokens))
        houses.append(house)
        page = Page(browser, house.url)
        page.screen(1280, 800)
        browser.execute_cdp_cmd("Network.clearBrowserCookies", {})
        return house, page

    yield build
    browser.get("about:blank")
    browser.execute_cdp_cmd("Network.clearBrowserCookies", {})
    for house in houses:
        house.close()


def dialog_is_open(page: Page) -> bool:
    return bool(page.js("return document.querySelector('#login').open"))


def show(page: Page, token: str) -> None:
    page.until(lambda: dialog_is_open(page))
    page.press(token, Keys.ENTER)


def test_the_token_is_asked_for_once_and_kept_where_no_script_finds_it(start: Open) -> None:
    _, page = start(saying("Hello."), token="open-sesame")
    page.open(wait=False)
    show(page, "wrong")
    page.shows("#login-message", "this is not the token")
    show(page, "open-sesame")
    page.shows("#matrix-text", "matrix: off")
    assert not dialog_is_open(page)
    page.press(Keys.TAB)
    page.js("document.querySelector('#question').focus()")
    page.press("Hello", Keys.ENTER)
    page.shows(".answer", "Hello.")
    page.open()
    assert not dialog_is_open(page)
    found = page.js("return document.cookie + location.href + JSON.stringify([sessionStorage, localStorage])")
    assert "sesame" not in found
    assert "board_agent" not in page.js("return document.cookie")
    urls = page.js("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert not any("sesame" in url for url in urls)


def test_who_may_only_watch_sees_runs_and_is_asked_for_the_other_token_to_ask(start: Open) -> None:
    house, page = start(saying("For all."), saying("For me."), token="open-sesame", watch_token="look")
    page.open(wait=False)
    show(page, "look")
    page.shows("#matrix-text", "matrix: off")
    house.runs.submit("Somebody's question")
    page.shows(".answer", "For all.")
    page.js("document.querySelector('#question').focus()")
    page.press("Mine", Keys.ENTER)
    page.until(lambda: dialog_is_open(page))
    page.shows("#login-message", "watching only")
    show(page, "open-sesame")
    page.until(lambda: not dialog_is_open(page))
    page.js("document.querySelector('#question').focus()")
    page.press(Keys.ENTER)
    page.shows(".answer", "For me.")


def test_escape_in_the_dialog_stops_nothing(start: Open) -> None:
    hold = Hold(saying("Done."))
    house, page = start(hold, token="open-sesame", watch_token="look")
    page.open(wait=False)
    show(page, "look")
    page.shows("#matrix-text", "matrix: off")
    run = house.runs.submit("Long")
    page.until(lambda: page.js("return !document.querySelector('#stop').disabled"))
    page.js("document.querySelector('#stop').click()")
    page.until(lambda: dialog_is_open(page))
    page.press(Keys.ESCAPE)
    page.until(lambda: not dialog_is_open(page))
    hold.release()
    assert run.ended.wait(10)
    assert run.result["stopped"] == "answered"


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_to_mend_in_the_dialog(start: Open, axe: str, dark: bool) -> None:
    _, page = start(token="open-sesame")
    page.screen(390, 800, dark)
    page.open(wait=False)
    page.until(lambda: dialog_is_open(page))
    page.js(axe)
    found = page.driver.execute_async_script("axe.run(document).then((found) => arguments[0](found.violations))")
    assert [rule["id"] for rule in found] == []


# --- pages of other sites


@pytest.fixture
def other_site() -> Iterator[Callable[[str], str]]:
    """Serves a page of another site and tells its address."""
    html = [""]

    class Site(BaseHTTPRequestHandler):
        def log_message(self, *args: Any) -> None:
            pass

        def do_GET(self) -> None:
            body = html[0].encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()

    def serve(text: str) -> str:
        html[0] = text
        return f"http://127.0.0.1:{server.server_port}/"

    yield serve
    server.shutdown()
    server.server_close()


def test_a_page_of_another_site_can_neither_ask_nor_stop_nor_read(
    start: Open, browser: Any, other_site: Callable[[str], str]
) -> None:
    hold = Hold()
    house, _ = start(hold)
    house.runs.submit("Running")
    assert hold.reached.wait(10)
    browser.get(other_site("<p>A nice page</p>"))
    tries = browser.execute_async_script(
        """
        const [board, done] = arguments;
        const json = {"Content-Type": "application/json"};
        const tries = [
          fetch(`${board}/ask`, {method: "POST", body: '{"question":"evil"}', headers: json}),
          fetch(`${board}/ask`, {method: "POST", body: '{"question":"evil"}', mode: "no-cors"}),
          fetch(`${board}/stop`, {method: "POST", body: "", mode: "no-cors"}),
          fetch(`${board}/stop`, {method: "POST", keepalive: true, mode: "no-cors"}),
          fetch(`${board}/status`),
        ];
        navigator.sendBeacon(`${board}/stop`, "");
        Promise.allSettled(tries).then((all) => done(all.map((one) => one.value?.type ?? "failed")));
        """,
        house.url,
    )
    assert set(tries) <= {"failed", "opaque"}
    assert house.runs.line()["running"]
    assert house.runs.line()["waiting"] == []
    hold.release()


def test_a_form_of_another_site_is_refused(start: Open, browser: Any, other_site: Callable[[str], str]) -> None:
    house, page = start()
    field = """<input name='{"question":"' value='"}'>"""
    browser.get(other_site(f'<form method="post" enctype="text/plain" action="{house.url}/ask">{field}</form>'))
    browser.execute_script("document.forms[0].submit()")
    page.until(lambda: "error" in browser.find_element("css selector", "body").text)
    assert "another site" in browser.find_element("css selector", "body").text
    assert house.runs.counters["runs"] == 0


def test_a_name_that_a_stranger_points_at_the_board_is_refused(start: Open, browser: Any) -> None:
    # A browser resolves every *.localhost to this machine: the same as a rebound name.
    house, _ = start()
    browser.get(f"http://evil.localhost:{house.server.server_port}/")
    assert "does not answer to the name evil.localhost" in browser.find_element("css selector", "body").text


def test_no_other_page_can_frame_ours(start: Open, browser: Any, other_site: Callable[[str], str]) -> None:
    house, page = start()
    browser.get(other_site(f'<iframe id="board" src="{house.url}/"></iframe>'))
    page.until(lambda: any("frame-ancestors" in entry["message"] for entry in browser.get_log("browser")))
