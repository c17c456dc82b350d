"""The two statistics of the report: how sure a share is, and whether two runs differ by more than chance."""

from __future__ import annotations

import math

Z95 = 1.959964


def wilson(right: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share after Wilson (1927); it holds for small numbers, and for none and all right."""
    if of == 0:
        return 0.0, 1.0
    share, square = right / of, Z95**2 / of
    middle = (share + square / 2) / (1 + square)
    half = Z95 / (1 + square) * math.sqrt(share * (1 - share) / of + square / (4 * of))
    return max(0.0, middle - half), min(1.0, middle + half)


def exact_p(wins: int, losses: int) -> float:
    """How likely a split at least as uneven is by chance (two-sided sign test; McNemar's exact test for pairs)."""
    n = wins + losses
    as_uneven = sum(math.comb(n, k) for k in range(min(wins, losses) + 1))
    return min(1.0, 2.0 * as_uneven / math.pow(2, n))
