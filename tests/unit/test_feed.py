"""The log that everyone watches."""

import json
import threading

from board_agent.feed import Feed


def say(feed: Feed, run: str, *kinds: str) -> None:
    for kind in kinds:
        feed.publish(run, {"type": kind})


def kinds(feed: Feed, after: int = -1) -> list[str]:
    return [f"{entry.run}:{entry.type}" for entry in feed.read(after, 0)]


def test_events_come_in_order_with_growing_numbers() -> None:
    feed = Feed()
    say(feed, "a", "run_queued", "text", "text")
    entries = feed.read(-1, 0)
    assert [entry.seq for entry in entries] == sorted({entry.seq for entry in entries})
    assert json.loads(entries[0].data).keys() >= {"type", "run", "seq", "at"}


def test_a_watcher_reads_on_from_where_it_was() -> None:
    feed = Feed()
    say(feed, "a", "run_queued", "text")
    last = feed.last
    say(feed, "a", "turn_ended")
    assert kinds(feed, last) == ["a:turn_ended"]
    assert feed.read(feed.last, 0) == []


def test_a_watcher_that_waits_is_woken() -> None:
    feed = Feed()
    threading.Timer(0.05, say, (feed, "a", "run_queued")).start()
    assert [entry.type for entry in feed.read(feed.last, 10)] == ["run_queued"]


def test_of_older_runs_the_single_words_are_dropped() -> None:
    feed = Feed()
    say(feed, "a", "run_queued", "prompt_progress", "text", "turn_ended", "run_ended")
    assert "a:text" in kinds(feed)
    say(feed, "b", "run_queued", "text", "run_ended")
    assert kinds(feed) == ["a:run_queued", "a:turn_ended", "a:run_ended", "b:run_queued", "b:text", "b:run_ended"]


def test_only_the_last_runs_are_kept() -> None:
    feed = Feed(keep_runs=2)
    for run in "abcd":
        say(feed, run, "run_queued", "run_ended")
    assert kinds(feed) == ["c:run_queued", "c:run_ended", "d:run_queued", "d:run_ended"]


def test_a_run_that_goes_on_is_never_dropped() -> None:
    feed = Feed(keep_runs=1)
    say(feed, "long", "run_queued")
    for run in "abc":
        say(feed, run, "run_queued", "run_ended")
    assert "long:run_queued" in kinds(feed)


def test_a_watcher_who_would_miss_something_is_told() -> None:
    feed = Feed(keep_runs=1)
    start = feed.last
    assert feed.can_resume(start)
    say(feed, "a", "run_queued")
    middle = feed.last
    say(feed, "a", "run_ended")
    say(feed, "b", "run_queued", "run_ended")
    assert not feed.can_resume(middle)
    assert feed.can_resume(feed.last)
    assert not feed.can_resume(feed.last + 1)


def test_a_lot_of_text_does_not_stay_for_ever() -> None:
    feed = Feed()
    for run in range(30):
        feed.publish(str(run), {"type": "run_queued"})
        feed.publish(str(run), {"type": "turn_ended", "text": "x" * 1_000_000})
        feed.publish(str(run), {"type": "run_ended"})
    assert sum(len(entry.data) for entry in feed.read(-1, 0)) < 5_500_000


def test_of_the_state_only_the_present_value_is_kept() -> None:
    feed = Feed()
    for led in (True, False, False):
        feed.set_state({"type": "board", "led": led})
    entries = feed.read(-1, 0)
    assert [json.loads(entry.data)["led"] for entry in entries] == [False]
    assert feed.state("board") == {"type": "board", "led": False}
    assert feed.state("queue") is None


def test_a_state_that_has_not_changed_is_no_event() -> None:
    feed = Feed()
    feed.set_state({"type": "board", "led": True})
    last = feed.last
    feed.set_state({"type": "board", "led": True})
    assert feed.last == last
