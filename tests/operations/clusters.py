"""Clusters of the embedded PostgreSQL, and a table in them."""

import psycopg

from operations.embedded.postgres import OWNER, SERVICE, Postgres


def postgres_in(data):
    (data / "run").mkdir(exist_ok=True)
    return Postgres(data=data, sockets=data / "run", log=data / "postgres.log")


def make_table(postgres):
    with psycopg.connect(postgres.url(OWNER)) as owner:
        owner.execute("CREATE TABLE samples (id bigserial PRIMARY KEY, name text)")


def names_in_table(postgres):
    with psycopg.connect(postgres.url(SERVICE)) as service:
        return [name for (name,) in service.execute("SELECT name FROM samples")]


def add_name(postgres, name):
    with psycopg.connect(postgres.url(SERVICE)) as service:
        service.execute("INSERT INTO samples (name) VALUES (%s)", [name])
