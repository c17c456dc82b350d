"""The app does what `/openapi.json` says of it, whatever it is sent (schemathesis makes up the requests)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode

from board_agent.openapi import DOCUMENT
from tests.faults.test_clients import Endless
from tests.unit.house import TestHouse
from tests.unit.test_web import until

CASES = max(10, int(os.environ.get("FUZZ_CASES", "500")) // 20)


@pytest.fixture(scope="module")
def house() -> Iterator[TestHouse]:
    built = TestHouse()
    built.model.script = Endless()
    until(lambda: "llm" in built.client.get("/healthz").get_json())
    yield built
    built.close()


# 413 is no refusal to schemathesis.
CONFIG = schemathesis.Config.from_dict(
    {"checks": {"negative_data_rejection": {"expected-statuses": [400, 404, 409, 413, 415, 503]}}}
)
OPERATIONS = [
    (path, method)
    for path, item in DOCUMENT["paths"].items()
    for method in item
    if method != "parameters" and path not in ("/", "/events")
]


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_every_request_is_answered_as_described(house: TestHouse, path: str, method: str) -> None:
    schema = schemathesis.openapi.from_wsgi("/openapi.json", house.client.application, config=CONFIG)
    operation = schema[path][method.upper()]
    modes = [operation.as_strategy(generation_mode=mode) for mode in GenerationMode]

    @settings(max_examples=CASES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.one_of(modes))
    def check(case: schemathesis.Case) -> None:
        case.call_and_validate()

    check()


def test_every_route_is_described_and_nothing_else(house: TestHouse) -> None:
    routes = {
        (re.sub(r"<(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in house.client.application.url_map.iter_rules()
        if rule.endpoint != "static"
        for method in rule.methods - {"HEAD", "OPTIONS"}
    }
    said = {(path, method) for path, item in DOCUMENT["paths"].items() for method in item if method != "parameters"}
    assert said == routes
