"""Statistics against known values."""

import pytest

from evals.stats import exact_p, wilson


@pytest.mark.parametrize(
    ("right", "of", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),  # Brown, Cai and DasGupta 2001 and every textbook since
        (10, 10, 0.7225, 1.0),
        (81, 263, 0.2553, 0.3662),  # Newcombe 1998, table I
        (15, 148, 0.0624, 0.1605),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_the_interval_is_that_of_wilson(right: int, of: int, low: float, high: float) -> None:
    assert wilson(right, of) == pytest.approx((low, high), abs=5e-5)


def test_nothing_is_known_of_no_runs() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("wins", "losses", "p"),
    [(0, 0, 1.0), (1, 0, 1.0), (5, 0, 0.0625), (6, 0, 0.03125), (8, 1, 0.0390625), (9, 1, 0.021484375), (5, 5, 1.0)],
)
def test_the_sign_test_is_exact_and_two_sided(wins: int, losses: int, p: float) -> None:
    assert exact_p(wins, losses) == pytest.approx(p)
    assert exact_p(losses, wins) == exact_p(wins, losses)
