"""The doctor on the whole app, from a terminal: a real model that calls a tool, a real sketch, and one that is gone."""

from tests.e2e.conftest import App, Board, until


def test_a_board_that_works_is_told_to_be_well(app: App, board: Board) -> None:
    lit = board.lit
    done = app.command("--doctor")
    links = {line[9:23].strip(): line[:9].strip() for line in done.stdout.splitlines()[:-1]}
    assert links.pop("temperature") in ("ok", "unknown")
    assert set(links.values()) == {"ok"}, done.stdout
    assert "calculate" in done.stdout
    assert done.returncode == 0
    assert board.lit == lit


def test_a_sketch_that_is_gone_is_named_with_what_mends_it(app: App, board: Board) -> None:
    board.chip.stop()
    try:
        until(lambda: app.health()["board"] != "ok")
        until(lambda: "broken   sketch" in app.command("--doctor").stdout)
        done = app.command("--doctor")
        assert done.returncode == 1
        assert "do:  arduino-app-cli app stop . && arduino-app-cli app start ." in done.stdout
    finally:
        board.chip.start()
        until(lambda: app.health()["board"] == "ok")
