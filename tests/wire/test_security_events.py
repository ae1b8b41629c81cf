"""What may be an attack is told once in the log and once in the metrics, in words of ours."""

import re

import pytest

from wire.audit_context import Principal, audit_context, service_principal
from wire.telemetry.security_events import SecurityEvent, record_security_event


@pytest.fixture
def lines(caplog):
    caplog.set_level("INFO")
    return lambda: [vars(record) for record in caplog.records if record.name == "ids.security"]


def test_an_event_is_one_line_with_its_kind_its_facts_and_who_acts(lines):
    with audit_context(Principal("token", "0190f2b4", "Cary 60")):
        record_security_event(SecurityEvent.FOREIGN_INSTRUMENT, instrument="plate-reader")

    (line,) = lines()
    assert (line["kind"], line["principal"]) == ("foreign_instrument", "token:0190f2b4")
    assert (line["instrument"], line["levelname"]) == ("plate-reader", "WARNING")


def test_a_part_of_the_service_is_named_where_nobody_else_acts(lines):
    with audit_context(service_principal("enrolment")):
        record_security_event(SecurityEvent.SPENT_LINK)

    assert lines()[0]["principal"] == "service:enrolment"


def test_an_event_without_anybody_names_nobody(lines):
    record_security_event(SecurityEvent.SPENT_LINK)

    assert lines()[0]["principal"] == ""


@pytest.mark.django_db
def test_events_are_counted_by_kind(client):
    before = replayed_codes(client)

    record_security_event(SecurityEvent.REPLAYED_CODE)
    record_security_event(SecurityEvent.REPLAYED_CODE)

    assert replayed_codes(client) - before == 2


def replayed_codes(client):
    counted = re.search(
        rb'^ids_security_events_total\{kind="replayed_code"\} (.*)$', client.get("/metrics").content, re.M
    )
    return float(counted[1]) if counted else 0
