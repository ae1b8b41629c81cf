"""Files that an older version of their reader has read are found, counted and read again behind new ones."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from processing import outdated
from processing.models import ProcessingJob
from processing.outdated import ReadAgain, enqueue_outdated, list_outdated_readers
from processing.reading_files import process_next
from processing.registry import BUILT_IN_VERSION
from tests.factories import make_instrument, make_run, make_user
from tests.markup import flat
from tests.processing.arrivals import SPECTRUM, arrived, done, job_of
from wire.clock import now

pytestmark = pytest.mark.django_db


def read_by(version, *, run=None, name="sample.jdx"):
    """A file that this version of the reader of spectra has read."""
    file = done(arrived(name, SPECTRUM, run=run or make_run()))
    ProcessingJob.objects.filter(pk=file.pk).update(processor_version=version)
    return file


def ask(**only):
    return list(enqueue_outdated(ReadAgain(**only), at=now()))


def test_files_of_an_older_version_are_counted_by_reader_and_version():
    read_by("1")
    read_by("2")
    read_by("2")
    read_by(BUILT_IN_VERSION)

    counted = [(found.processor, found.version, found.current, found.files) for found in list_outdated_readers()]

    assert counted == [("jcamp-dx", "1", BUILT_IN_VERSION, 1), ("jcamp-dx", "2", BUILT_IN_VERSION, 2)]


def test_they_are_read_again_and_then_none_is_left():
    file = read_by("1")

    assert ask() == [1]
    file.refresh_from_db()
    assert (file.status, job_of(file).state) == ("completed", "waiting")
    done(file)

    assert file.status == "completed"
    assert job_of(file).processor_version == BUILT_IN_VERSION
    assert list_outdated_readers() == []


def test_what_arrives_meanwhile_is_read_first_even_of_the_same_instrument():
    run = make_run()
    older = read_by("1", run=run)
    ask()
    newer = arrived("newer.jdx", SPECTRUM, run=run)

    assert process_next(clock=now)

    assert (job_of(newer).state, job_of(older).state) == ("completed", "waiting")


def test_asking_again_goes_on_where_it_stopped(monkeypatch):
    monkeypatch.setattr(outdated, "BATCH_SIZE", 2)
    for number in range(5):
        read_by("1", name=f"{number}.jdx")
    batches = enqueue_outdated(ReadAgain(), at=now())
    assert next(batches) == 2
    batches.close()

    assert ask() == [2, 3]
    assert ProcessingJob.objects.unfinished().count() == 5


def test_only_what_is_asked_for_is_read_again():
    instrument = make_instrument()
    one, other = read_by("1", run=make_run(instrument=instrument)), read_by("2")

    assert ask(processor="mzml") == []
    assert ask(before="2") == [1]
    assert job_of(one).state == "waiting"
    assert ask(instrument_id=instrument.pk) == []
    assert ask(instrument_id=other.run.instrument_id) == [1]


def test_version_ten_comes_after_version_nine():
    read_by("9")

    assert list_outdated_readers(ReadAgain(before="8")) == []
    assert len(list_outdated_readers(ReadAgain(before="10"))) == 1


def test_the_command_counts_and_asks():
    read_by("1")
    printed = StringIO()

    call_command("read_again", "--dry-run", stdout=printed)
    assert ProcessingJob.objects.unfinished().count() == 0
    call_command("read_again", stdout=printed)

    assert f"jcamp-dx 1: 1 files; it is {BUILT_IN_VERSION} now." in printed.getvalue()
    assert "1 files wait to be read again." in printed.getvalue()


@pytest.mark.parametrize("option", ["--processor", "--instrument"])
@pytest.mark.parametrize("name", ["no-such", ""])
def test_the_command_refuses_what_does_not_exist(option, name):
    with pytest.raises(CommandError, match="There is no"):
        call_command("read_again", option, name)


def test_an_admin_sees_how_many_there_are_and_has_them_read_again(client):
    client.force_login(make_user(is_admin=True))
    read_by("1")
    read_by("1")

    shown = flat(client.get("/settings/readers"))
    answer = client.post("/settings/readers/read-again", {"processor": "jcamp-dx"})

    assert '<td class="dim mono small">1</td>' in shown
    assert '<td class="num">2</td>' in shown
    assert answer.status_code == 302
    assert "2 files wait to be read again" in flat(client.get("/settings/readers"))
    assert ProcessingJob.objects.unfinished().count() == 2


def test_the_page_refuses_a_reader_that_does_not_exist(client):
    client.force_login(make_user(is_admin=True))

    assert client.post("/settings/readers/read-again", {"processor": "no-such"}).status_code == 400


def test_files_that_no_reader_knew_are_tried_again():
    file = done(arrived("film.jws", b"hello"))
    assert (file.status, job_of(file).state) == ("uploaded", "not_read")
    printed = StringIO()

    call_command("read_again", "--unread", stdout=printed)

    assert printed.getvalue() == "1 files are kept that no reader knew.\n1 files wait to be read again.\n"
    assert done(file).status == "uploaded"
    assert ask() == []


def test_what_was_tried_meanwhile_is_not_asked_for_twice():
    done(arrived("film.jws", b"hello"))

    assert ask(unread=True) == [1]
    assert ask(unread=True) == []


def test_those_that_were_tried_longest_ago_come_first(monkeypatch, client):
    client.force_login(make_user(is_admin=True))
    monkeypatch.setattr(outdated, "BATCH_SIZE", 1)
    monkeypatch.setattr("dashboard.files.readers.MAX_BATCHES", 1)
    first, second = (done(arrived(name, b"hello")) for name in ("a.jws", "b.jws"))
    client.post("/settings/readers/read-again", {"unread": "1"})
    done(first)

    client.post("/settings/readers/read-again", {"unread": "1"})

    assert (job_of(first).state, job_of(second).state) == ("not_read", "waiting")
    assert "1 are left" in flat(client.get("/settings/readers"))


def test_an_admin_has_them_tried_again_on_the_page(client):
    client.force_login(make_user(is_admin=True))
    file = done(arrived("film.jws", b"hello"))

    answer = client.post("/settings/readers/read-again", {"unread": "1"})

    assert answer.status_code == 302
    assert "1 files wait to be read, behind" in flat(client.get("/settings/readers"))
    assert job_of(file).state == "waiting"


def test_the_command_says_what_does_not_go_together():
    with pytest.raises(CommandError, match="No reader has read"):
        call_command("read_again", "--unread", "--before", "3")
