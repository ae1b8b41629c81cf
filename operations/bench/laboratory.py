"""The seeded database seen from outside: who and what is large, a caller, a client, a bare connection."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

import psycopg
from django.db import connection
from django.db.models import Count
from django.test import Client

from accounts.callers import Caller, caller_for_token
from accounts.models import Token
from accounts.scopes import Scope
from accounts.tokens import create_token
from instruments.catalogue import create_instrument
from instruments.models import Instrument
from runs.models import Claim, Run
from watchers.models import Heartbeat, Watcher
from watchers.registration import AgentDescription, register_watcher
from wire.clock import now

WATCHED_INSTRUMENT_ID = "bench-watched"


class NotSeeded(Exception):
    """There is no benchmark's laboratory in this database."""


@dataclass(frozen=True)
class Laboratory:
    token: Token
    token_text: str
    raw_connection: psycopg.Connection[
        tuple[object, ...]
    ]  # no Django: values are bound by the client, as Django binds them

    @cached_property
    def runs(self) -> int:
        return Run.objects.count()

    @cached_property
    def caller(self) -> Caller:
        return caller_for_token(self.token)

    @cached_property
    def largest_instrument(self) -> str:
        return Instrument.objects.order_by("-run_count").values_list("pk", flat=True)[0]

    @cached_property
    def usual_instrument(self) -> str:
        by_size = Instrument.objects.order_by("-run_count").values_list("pk", flat=True)
        return by_size[len(by_size) // 2]

    @cached_property
    def largest_run(self) -> Run:
        return Run.objects.order_by("-file_count")[0]

    @cached_property
    def claimants(self) -> list[UUID]:
        """Who claims anything, those with the most claims first."""
        claims = Claim.objects.values_list("user").annotate(runs=Count("id")).order_by("-runs", "user")
        return [user for user, _ in claims]

    @cached_property
    def watcher(self) -> Watcher:
        """The token's own, of an instrument without runs."""
        instrument = create_instrument(WATCHED_INSTRUMENT_ID, by=self.caller, at=now())
        return register_watcher(
            instrument_id=instrument.pk, agent=AgentDescription(hostname="bench"), by=self.caller, at=now()
        )

    @cached_property
    def client(self) -> Client:
        return Client(SERVER_NAME="localhost", HTTP_AUTHORIZATION=f"Bearer {self.token_text}")

    def get(self, path: str) -> None:
        answer = self.client.get(path)
        if answer.status_code != 200:
            raise RuntimeError(f"{path} answered {answer.status_code}: {answer.content[:300]!r}")

    def run_sql(self, *statements: str) -> None:
        for statement in statements:
            self.raw_connection.execute(statement).fetchall()


@contextmanager
def open_laboratory() -> Iterator[Laboratory]:
    """With a token of its own, which is gone afterwards."""
    if not Token.objects.filter(name="bench").exists() or not Run.objects.exists():
        raise NotSeeded
    new = create_token(name="bench run", scopes=list(Scope), by=None, at=now())
    address = connection.get_connection_params() | {"cursor_factory": psycopg.ClientCursor, "autocommit": True}
    for ours in ("pool", "context", "prepare_threshold"):
        address.pop(ours, None)
    try:
        with psycopg.connect(**address) as bare:
            yield Laboratory(new.token, new.text, bare)
    finally:
        Heartbeat.objects.filter(watcher__token=new.token).delete()
        Watcher.objects.filter(token=new.token).delete()
        Instrument.objects.filter(pk=WATCHED_INSTRUMENT_ID).delete()
        new.token.delete()
