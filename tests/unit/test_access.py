"""Who is let in: names, origins, tokens, and how often one may guess."""

from pathlib import Path

import pytest

from board_agent import access
from board_agent.access import Access, Refused, load_key


@pytest.mark.parametrize(
    "host",
    [
        *("192.168.1.20:7000", "127.0.0.1", "[::1]:7000", "[fe80::1]", "localhost:7000", "uno-q", "uno-q:80"),
        *("uno-q.local:7000", "my.uno-q.local.", "board.example.org", "board.example.org:7000"),
    ],
)
def test_it_answers_to_names_that_only_mean_this_network(host: str) -> None:
    assert Access(hosts=["Board.example.org"]).answers_to(host)


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "evil.example:7000", "192.168.1.20.evil.example", "local.evil.example", "notlocal.org"),
        *(
            "localhost.evil.example",
            "",
            ":7000",
            ".local",
            "a..local",
            "uno q",
            "http://uno-q",
            "[::1",
            "::1]",
            "1.2.3.4.5",
        ),
        *("evil.example/.local", "board.example.org.evil.example", "\u212a.local"),
    ],
)
def test_it_answers_to_no_name_that_a_stranger_can_own(host: str) -> None:
    assert not Access(hosts=["board.example.org"]).answers_to(host)


def site(method: str = "POST", **headers: str) -> None:
    Access().check_site(method, {name.replace("_", "-"): value for name, value in headers.items()})


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "", "http://uno-q.local:8000", "file://"])
def test_a_post_of_another_site_is_refused(origin: str) -> None:
    with pytest.raises(Refused, match="another site") as caught:
        site(Host="uno-q.local:7000", Origin=origin)
    assert caught.value.status == 403


@pytest.mark.parametrize("origin", ["http://uno-q.local:7000", "https://UNO-Q.local:7000"])
def test_a_post_of_the_own_page_is_served(origin: str) -> None:
    site(Host="uno-q.local:7000", Origin=origin, Sec_Fetch_Site="same-origin")


def test_a_program_sends_neither_and_is_served() -> None:
    site(Host="uno-q.local:7000")
    site()


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize("relation", ["cross-site", "same-site", "anything else"])
def test_a_browser_that_says_another_site_asked_is_refused(method: str, relation: str) -> None:
    with pytest.raises(Refused, match="another site"):
        site(method, Host="localhost", Sec_Fetch_Site=relation, Sec_Fetch_Mode="no-cors")


def test_a_link_on_another_site_may_lead_to_the_page() -> None:
    site("GET", Host="localhost", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate")
    with pytest.raises(Refused):
        site("POST", Host="localhost", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate")


def test_without_a_token_everyone_may() -> None:
    Access().check_token("POST", "", "", "a")
    Access().check_token("POST", "Bearer whatever", "rubbish", "a")
    assert Access().login("x", "a") == ""


def status(house: Access, authorization: str, method: str = "POST", address: str = "a") -> int:
    """What a request with this header would be answered."""
    try:
        house.check_token(method, authorization, "", address)
    except Refused as refused:
        return refused.status
    return 200


BOTH = {"token": "ask-me", "watch_token": "look"}


@pytest.mark.parametrize(
    ("shown", "reads", "writes"),
    [("Bearer ask-me", True, True), ("bearer  look", True, False), ("Bearer nope", False, False)]
    + [(other, False, False) for other in ("", "Bearer", "Bearer ", "Basic ask-me", "ask-me", "Bearer ask-mE")],
)
def test_a_token_opens_what_it_is_for(shown: str, reads: bool, writes: bool) -> None:
    for method, may in (("GET", reads), ("POST", writes), ("DELETE", writes)):
        assert status(Access(**BOTH), shown, method) == (200 if may else 401)


def test_a_cookie_says_which_token_was_shown_and_holds_none_of_it() -> None:
    house = Access(**BOTH)
    asking, watching = house.login("ask-me", "a"), house.login("look", "a")
    assert "ask-me" not in asking
    house.check_token("POST", "", asking, "a")
    house.check_token("GET", "", watching, "a")
    with pytest.raises(Refused, match="watching only"):
        house.check_token("POST", "", watching, "a")
    with pytest.raises(Refused):
        house.check_token("GET", "", asking[:-1] + ("0" if asking[-1] != "0" else "1"), "a")


def test_a_cookie_outlives_a_restart_but_no_change_of_the_token(tmp_path: Path) -> None:
    key = load_key(tmp_path)
    cookie = Access("secret", key=key).login("secret", "a")
    Access("secret", key=load_key(tmp_path)).check_token("POST", "", cookie, "a")
    for other in (Access("new", key=key), Access("secret")):
        with pytest.raises(Refused):
            other.check_token("POST", "", cookie, "a")


def test_the_key_is_for_nobody_else_and_made_anew_when_damaged(tmp_path: Path) -> None:
    key = load_key(tmp_path / "data")
    file = tmp_path / "data" / "login.key"
    assert file.stat().st_mode & 0o077 == 0
    file.write_bytes(b"short")
    assert len(load_key(tmp_path / "data")) == 32
    assert load_key(tmp_path / "data") != key


def test_where_no_key_can_be_kept_the_token_still_works(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    house = Access("secret", key=load_key(tmp_path / "file"))
    house.check_token("POST", "", house.login("secret", "a"), "a")


def test_guessing_becomes_slow_for_who_guesses_and_for_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [1000.0]
    monkeypatch.setattr(access.time, "monotonic", lambda: clock[0])
    house = Access("secret")
    cookie = house.login("secret", "guesser")

    def guess(token: str, address: str = "guesser") -> int:
        return status(house, f"Bearer {token}", address=address)

    assert [guess("no") for _ in range(7)] == [401] * 5 + [429] * 2
    assert guess("secret") == 429  # a right guess must not show either
    assert guess("secret", "another") == 200
    house.check_token("POST", "", cookie, "guesser")  # a page that is in stays in
    allowed = 0
    for _ in range(3600):
        clock[0] += 1
        allowed += guess("no") == 401
    assert allowed < 80
    clock[0] += 700
    assert guess("secret") == 200


def test_no_number_of_addresses_fills_the_memory() -> None:
    house = Access("secret")
    for n in range(3000):
        with pytest.raises(Refused):
            house.login("no", f"address {n}")
    assert len(house._tries._failed) <= access.MOST_ADDRESSES
