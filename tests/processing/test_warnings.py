"""What reading has to say is told: in the file's record, on its run's page, and with a choice where one is open."""

from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

import pytest

from files.models import File
from instruments.models import Instrument
from processing import reading_files, registry
from processing.failures import ReaderDelayed
from processing.reading_files import process_file
from processing.readings import Limits
from tests.factories import make_instrument, make_run, make_user
from tests.markup import address_of_run
from tests.processing.arrivals import SPECTRUM, arrived, done
from tests.samples.instruments import csv
from wire.clock import now

pytestmark = pytest.mark.django_db

GEN5_LIKE = "Software Version\t3.15\n\nWell\tValue\n" + "".join(f"A{n}\t{n}\n" for n in range(1, 8))
ASKED = {"vendor_candidates": ["agilent-gen5", "agilent-gen5-image"], "degraded": True, "warnings": ["Both read it."]}


def test_a_degraded_reading_says_so_in_the_record(as_token):
    file = done(arrived("export.txt", GEN5_LIKE.encode()))

    record = as_token("files:read").get(f"/api/v1/files/{file.pk}").json()

    assert record["status"] == "completed"
    assert record["warnings"][0].startswith("It looks like Agilent Gen5, but: ")
    assert record["metadata"]["degraded"] is True


def test_a_file_without_warnings_has_none(as_token):
    rows = [["Sample", "n"], *[[f"s{n}", n] for n in range(6)]]
    file = done(arrived("notes.csv", csv(rows)))

    assert as_token("files:read").get(f"/api/v1/files/{file.pk}").json()["warnings"] == []


@pytest.mark.parametrize(
    ("name", "said"),
    [("blob.bin", "No reader knows files that end in .bin."), ("a.json", "No reader knows this file.")],
)
def test_a_file_that_nobody_reads_stays_uploaded_and_says_why(name, said):
    file = done(arrived(name, b"{}"))

    assert file.status == "uploaded"
    assert file.warnings[0].startswith(said)


def test_a_file_that_is_too_large_to_read_is_kept_and_says_so(monkeypatch):
    small = replace(registry.JCAMP_TYPE, limits=Limits(input_bytes=10))
    monkeypatch.setattr(reading_files, "choose_type", lambda **_: small)

    file = done(arrived("sample.jdx", SPECTRUM))

    assert (file.status, file.error_message) == ("uploaded", None)
    assert file.warnings[0].startswith("It is kept, and not read: 0 MiB is the most this type reads")


def _same(moment: datetime) -> datetime:
    return moment


def test_a_reading_that_others_slowed_down_is_tried_again_and_fails_at_last(monkeypatch):
    def delayed(*_, **__):
        raise ReaderDelayed("Reading stopped after 120 s.")

    monkeypatch.setattr(reading_files, "read_file", delayed)
    file = arrived("sample.jdx", SPECTRUM)

    states = []
    for at in [now() + minutes * timedelta(minutes=1) for minutes in range(3)]:
        assert process_file(file.pk, clock=partial(_same, at))
        file.refresh_from_db()
        states.append(file.status)

    assert states == ["processing", "processing", "failed"]

    assert file.error_message == "Reading stopped after 120 s."


@pytest.fixture
def admin_page(client):
    client.force_login(make_user(is_admin=True))
    return client


@pytest.fixture
def person_page(client):
    client.force_login(make_user())
    return client


@pytest.fixture
def asked():
    """A file that two vendors can both read."""
    file = done(arrived("export.txt", GEN5_LIKE.encode(), run=make_run(instrument=make_instrument())))
    File.objects.filter(pk=file.pk).update(extracted=ASKED)
    file.refresh_from_db()
    return file


def test_the_page_of_the_run_asks_admins_which_vendor_it_is(asked, admin_page):
    shown = admin_page.get(address_of_run(asked.run)).content.decode()

    assert "Table only" in shown
    assert "Both read it." in shown
    assert f'value="read-as {asked.pk} agilent-gen5-image"' in shown


def test_the_choice_is_remembered_as_the_type_of_the_instrument(asked, admin_page):
    answer = admin_page.post(
        f"{address_of_run(asked.run)}/files/selection", {"do": f"read-as {asked.pk} agilent-gen5-image"}
    )

    assert answer.status_code == 302
    assert Instrument.objects.get(pk=asked.run.instrument_id).instrument_type == "agilent-gen5-image"
    asked.refresh_from_db()
    assert asked.processing_job.state == "waiting"


def test_only_a_vendor_that_claims_the_file_can_be_chosen(asked, admin_page):
    answer = admin_page.post(f"{address_of_run(asked.run)}/files/selection", {"do": f"read-as {asked.pk} bmg-mars"})

    assert answer.status_code == 400
    assert Instrument.objects.get(pk=asked.run.instrument_id).instrument_type == "generic"


def test_others_are_told_and_not_asked(asked, person_page):
    url = address_of_run(asked.run)

    assert "read-as" not in person_page.get(url).content.decode()
    answer = person_page.post(f"{url}/files/selection", {"do": f"read-as {asked.pk} agilent-gen5"})
    assert answer.status_code == 403
