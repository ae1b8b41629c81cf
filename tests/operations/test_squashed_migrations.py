"""The squashed migrations make what the chain that they replace makes; a database of the chain goes on with them.

Our command renders less between two steps than Django does; what it makes is held to Django's own way.
"""

import os
import re
import subprocess
import sys

import psycopg
import pytest

from operations.embedded.postgres import OWNER, SUPERUSER
from tests.pgbouncer import running_postgres
from tests.service import CHECKOUT

pytestmark = pytest.mark.slow

BY_THE_CHAIN = """
import django
django.setup()
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader


class Chain(MigrationLoader):
    def load_disk(self):
        super().load_disk()
        self.disk_migrations = {name: one for name, one in self.disk_migrations.items() if not one.replaces}


executor = MigrationExecutor(connection)
executor.loader = Chain(connection)
with RENDERING:
    executor.migrate(executor.loader.graph.leaf_nodes())
"""
DJANGOS_OWN = BY_THE_CHAIN.replace("RENDERING", "__import__('contextlib').nullcontext()")
AS_THE_COMMAND_RENDERS = BY_THE_CHAIN.replace(
    "RENDERING", "__import__('operations.migration_states').migration_states.rendering_changed_models_alone()"
)
BY_THE_COMMAND = """
import django
django.setup()
from django.core.management import call_command
call_command("migrate", interactive=False, verbosity=0)
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with running_postgres(tmp_path_factory.mktemp("squashed") / "data") as server:
        yield server


def run(server, database, code):
    environ = os.environ | {"DATABASE_URL": server.url(OWNER, database), "DJANGO_SETTINGS_MODULE": "config.settings"}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=CHECKOUT, env=environ, check=True, capture_output=True, text=True
    ).stdout


def read_schema(server, database):
    """Each object as a set of its lines: the order of columns is no part of it."""
    command = [server.binaries / "pg_dump", "--schema-only", server.url(OWNER, database)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    text = re.sub(r"^\\(un)?restrict .*$", "", text, flags=re.M)
    return {tuple(sorted(line.rstrip(",") for line in block.splitlines())) for block in text.split("\n\n--\n-- Name: ")}


def test_all_make_the_same_database(server):
    names = ("chain", "chain_as_rendered", "squashed")
    with psycopg.connect(server.url(SUPERUSER, "postgres"), autocommit=True) as connection:
        for database in names:
            connection.execute(f"CREATE DATABASE {database} OWNER {OWNER} TEMPLATE template0")
    run(server, "chain", DJANGOS_OWN)
    run(server, "chain_as_rendered", AS_THE_COMMAND_RENDERS)
    for database in names:
        run(server, database, BY_THE_COMMAND)  # after the chain as the next start does: nothing is made twice

    made = read_schema(server, "chain")
    assert read_schema(server, "chain_as_rendered") == made
    assert read_schema(server, "squashed") == made

    pending = "import django; django.setup(); from wire.migrations import list_pending_migrations as ask; print(ask())"
    assert [run(server, name, pending).strip() for name in names] == ["[]"] * len(names)
