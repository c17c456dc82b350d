"""The whole app but for the process, with a scripted model or with a server that a test makes misbehave."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.unit.house import TestHouse

Make = Callable[..., TestHouse]


@pytest.fixture
def make() -> Iterator[Make]:
    houses: list[TestHouse] = []

    def build(*script: Any, **options: Any) -> TestHouse:
        houses.append(TestHouse(*script, **options))
        return houses[-1]

    yield build
    for house in houses:
        house.close()
