"""Whatever a client sends, the server answers as its description says, and never with a 5xx."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance

from tests.http.processes import start

EXAMPLES = 40


@pytest.fixture(scope="module")
def api(tmp_path_factory) -> Iterator[schemathesis.BaseSchema]:
    for address in start(tmp_path_factory.mktemp("data")):
        yield schemathesis.openapi.from_url(f"{address}openapi.json")


@pytest.mark.parametrize("mode", list(schemathesis.GenerationMode), ids=lambda mode: mode.name)
def test_no_request_breaks_the_server(api, mode):
    operations = [result.ok() for result in api.get_all_operations()]
    assert len(operations) >= 9
    for operation in operations:
        if mode is schemathesis.GenerationMode.NEGATIVE and not operation.body:
            continue  # nothing is sent that could be wrong

        @given(case=operation.as_strategy(generation_mode=mode))
        @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
        def answers_as_described(case):
            answer = case.call()
            case.validate_response(answer, checks=[not_a_server_error, content_type_conformance])

        answers_as_described()
