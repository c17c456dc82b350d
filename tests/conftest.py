"""What tests of several folders share: the whole app but for the process, with what a test wants behind it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.unit.house import Make, TestHouse


@pytest.fixture
def make() -> Iterator[Make]:
    houses: list[TestHouse] = []

    def build(*script: Any, **options: Any) -> TestHouse:
        houses.append(TestHouse(*script, **options))
        return houses[-1]

    yield build
    for house in houses:
        house.close()
