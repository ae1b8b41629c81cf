import psycopg
import pytest
from django.db import connection

from accounts.trail.rows import make_append_only
from operations.embedded.postgres import SERVICE
from tests.embedded import service_login

GIVE = """
    GRANT USAGE ON SCHEMA public TO {0};
    GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON ALL TABLES IN SCHEMA public TO {0};
    GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA public TO {0};
"""
TAKE = """
    REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {0};
    REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM {0};
    REVOKE USAGE ON SCHEMA public FROM {0};
"""


@pytest.fixture
def service(transactional_db):
    """A connection of the service's own role to the tests' database, after a migration and the rights that it had."""
    with connection.cursor() as cursor:
        cursor.execute(GIVE.format(SERVICE))
    make_append_only(using="default")
    with psycopg.connect(**connection.get_connection_params() | service_login(), autocommit=True) as service:
        yield service
    with connection.cursor() as cursor:
        cursor.execute(TAKE.format(SERVICE))
