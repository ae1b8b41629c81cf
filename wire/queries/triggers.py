"""What all triggers of pgtrigger ask first: whether a session set them aside.

pgtrigger asks it in a block that catches the error of an unset setting. Each such error rolls a subtransaction back,
for which PostgreSQL looks through all events that are still deferred (AfterTriggerEndSubXact): 70,000 files recorded in
one transaction took a minute at its end. The same question without an error is a part of the statement that asks it.
"""

from typing import Any

from django.db import connections

QUESTION = """
    CREATE OR REPLACE FUNCTION public._pgtrigger_should_ignore(trigger_name name) RETURNS boolean
    LANGUAGE sql STABLE AS
    $$ SELECT COALESCE(trigger_name = ANY (NULLIF(current_setting('pgtrigger.ignore', true), '')::text[]), false) $$
"""


def ask_without_errors(*, using: str, **_: Any) -> None:
    """After each migration, for those of triggers bring pgtrigger's own question back."""
    with connections[using].cursor() as cursor:
        cursor.execute("SELECT to_regprocedure('public._pgtrigger_should_ignore(name)')")
        if cursor.fetchone()[0]:
            cursor.execute(QUESTION)
