"""Two releases on one database: what the release before was asked, asked again while the database is migrated ahead.

requests.json has the calls in order, with the statuses that the release before answered; what an answer names under
`keep` stands for `{name}` in what follows. After a release: `RECORD=1 pytest tests/previous_release` writes them anew.
"""

import json
import os
from pathlib import Path

import pytest
from django.apps import apps
from django.db import connection

from files.storage import object_store
from tests.stores import use_files

RECORDED = Path(__file__).with_name("requests.json")
# What a migration of the next release may do (tests/migration_rules.py), done to every table.
EXPAND_SQL = """
    ALTER TABLE {table} ADD COLUMN of_the_next_release text, ADD COLUMN counted_by_the_next integer NOT NULL DEFAULT 7
"""


def expand_every_table():
    tables = {model._meta.db_table for model in apps.get_models() if model._meta.managed}
    with connection.cursor() as cursor:
        for table in sorted(tables & set(connection.introspection.table_names())):
            cursor.execute(EXPAND_SQL.format(table=connection.ops.quote_name(table)))


def replay(api, calls):
    """The status of each call, in order."""
    known, statuses = {}, []
    for call in calls:
        method, path, *body = call["ask"]
        for name, value in known.items():
            path = path.replace(f"{{{name}}}", str(value))
        answer = api.send(method, f"/api/v1{path}", *body)
        statuses.append(answer.status_code)
        known |= {name: answer.json()[field] for name, field in call.get("keep", {}).items()}
    return statuses


@pytest.mark.usefixtures("local_objects")
def test_the_requests_of_the_release_before_are_answered_as_they_were(as_token):
    calls = json.loads(RECORDED.read_text())
    if not os.environ.get("RECORD"):
        expand_every_table()

    statuses = replay(as_token(), calls)

    if os.environ.get("RECORD"):
        lines = [json.dumps(call | {"status": status}) for call, status in zip(calls, statuses, strict=True)]
        RECORDED.write_text("[\n  " + ",\n  ".join(lines) + "\n]\n")
    asked = [" ".join(call["ask"][:2]) for call in calls]
    assert list(zip(asked, statuses, strict=True)) == [
        (one, call["status"]) for one, call in zip(asked, calls, strict=True)
    ]


@pytest.fixture
def local_objects(settings, tmp_path):
    use_files(settings, tmp_path / "objects")
    yield
    object_store.cache_clear()
