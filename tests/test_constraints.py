"""Every constraint that somebody named is violated by its name in some test."""

import re
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings
from django.db import connection

pytestmark = pytest.mark.django_db

OURS = [config for config in apps.get_app_configs() if Path(config.path).parent == settings.BASE_DIR]
BY_A_MACHINE = re.compile(rf"({'|'.join(config.label for config in OURS)})_.*_(key|uniq|check|excl)\d*")
CONSTRAINTS = """
    SELECT conname FROM pg_constraint WHERE conrelid = ANY(%(tables)s::regclass[]) AND contype IN ('c', 'u', 'x')
    UNION
    SELECT indexrelid::regclass::text FROM pg_index
     WHERE indrelid = ANY(%(tables)s::regclass[]) AND indisunique AND NOT indisprimary"""


def named_constraints() -> set[str]:
    """What the database itself holds of our tables, so that those of plain SQL count too."""
    tables = [model._meta.db_table for config in OURS for model in config.get_models(include_auto_created=True)]
    with connection.cursor() as cursor:
        cursor.execute(CONSTRAINTS, {"tables": tables})
        return {name for (name,) in cursor.fetchall() if not BY_A_MACHINE.fullmatch(name)}


def test_no_named_constraint_is_without_a_test():
    tests = "".join(path.read_text() for path in Path(__file__).parent.rglob("test_*.py"))

    unnamed = {name for name in named_constraints() if f'"{name}"' not in tests}

    assert unnamed == set()


def test_constraints_of_models_are_among_them():
    models = [model for config in OURS for model in config.get_models()]

    assert {
        constraint.name for model in models for constraint in model._meta.constraints
    } - named_constraints() == set()


def test_constraints_of_plain_sql_are_among_them():
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE accounts_user ADD CONSTRAINT nobody_named_this CHECK (email <> '')")
        cursor.execute("CREATE UNIQUE INDEX nor_this ON accounts_user (display_name)")

    assert {"nobody_named_this", "nor_this"} <= named_constraints()
