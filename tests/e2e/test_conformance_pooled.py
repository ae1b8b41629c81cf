"""The suite of the specification, through a real PgBouncer that shares connections by transaction."""

from contextlib import ExitStack

import pytest

from operations.embedded.postgres import OWNER
from tests.conformance import run_suite, skip_without_suite
from tests.pgbouncer import missing_programs, running_pgbouncer, running_postgres
from tests.service import Service

pytestmark = [pytest.mark.pooler, pytest.mark.slow]


def test_conformance_is_whole_through_a_pooler(tmp_path):
    skip_without_suite()
    if missing := missing_programs():
        pytest.skip(f"not installed: {', '.join(missing)}")
    with ExitStack() as stack:
        postgres = stack.enter_context(running_postgres(tmp_path / "postgres"))
        pooled = stack.enter_context(running_pgbouncer(postgres))
        variables = {"DATABASE_URL": pooled, "DATABASE_OWNER_URL": postgres.url(OWNER)}
        service = stack.enter_context(Service(tmp_path / "data", DATABASE_POOLING="transaction", **variables))

        _, failed = run_suite(service.url, service.manage)

    assert failed == []
