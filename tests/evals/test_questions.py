"""The question set itself."""

from collections import Counter
from pathlib import Path

import pytest

from evals.questions import load

KINDS = (
    "one tool, no tool, arithmetic, threshold, file, counting, two actions, board, follow-up, recovery, cannot, wording"
)


def test_the_set_has_every_kind_and_no_question_twice() -> None:
    questions = load()
    kinds = Counter(question.kind for question in questions)
    assert ", ".join(kinds) == KINDS
    assert min(kinds.values()) >= 8
    assert len({tuple(question.ask) for question in questions}) == len(questions) >= 80


def test_every_question_checks_something() -> None:
    checks = ("number", "truth", "shows", "lists", "words", "led", "matrix", "digit")
    blind = [q.id for q in load() if not q.refuses and all(getattr(q, check) is None for check in checks)]
    assert blind == []


def test_a_threshold_has_readings_on_both_sides_where_they_vary() -> None:
    for question in load():
        for values in question.vary.values():
            assert len(set(values)) > 1, question.id


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("- {id: a, kind: k, ask: q, tools: [], colour: red}", "a: colour is unknown or missing"),
        ("- {id: a, kind: k, ask: q}", "a: tools is unknown or missing"),
        ("- {id: a, kind: k, ask: q, tools: []}\n- {id: a, kind: k, ask: r, tools: []}", "two of that id"),
    ],
)
def test_a_mistake_in_the_set_is_named(tmp_path: Path, text: str, error: str) -> None:
    file = tmp_path / "questions.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=error):
        load(file)
