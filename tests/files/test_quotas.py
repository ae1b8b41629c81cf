"""What the settings bound: files of a run, bytes of an instrument and day."""

from datetime import timedelta

import pytest

from accounts.callers import caller_for_token
from files.intake.quotas import QuotaReached, delete_old_intakes, reserve_bytes, service_day_of
from files.models import DailyIntake
from files.records import NewFile, record_file
from tests.factories import make_file, make_instrument, make_run, make_token
from tests.files.sending import announced, ask, path_of
from tests.races import at_once
from wire.clock import now

pytestmark = pytest.mark.django_db


@pytest.fixture
def noon(monkeypatch):
    """The day does not end while it is sent to."""
    at = now().replace(hour=12)
    monkeypatch.setattr("files.api.now", lambda: at)


def detected(*names):
    return {"detected_files": [{"filename": name, "relative_path": name} for name in names]}


def test_a_run_takes_no_more_files_than_it_may(as_token, settings):
    settings.MAX_FILES_PER_RUN = 2
    run = make_run()
    make_file("a.csv", run=run)
    make_file("b.csv", run=run)

    answer = as_token("files:create").post(f"{path_of(run)}/files", {"filename": "c.csv"})

    assert answer.status_code == 409
    assert answer.json()["error"] == {
        "code": "CONFLICT",
        "message": "A run may have 2 files here; this one has 2.",
        "details": {"quota": "files_of_run", "limit": 2, "used": 2, "asked": 1},
    }


def test_known_files_need_no_room(as_token, settings):
    settings.MAX_FILES_PER_RUN = 2
    run, api = make_run(), as_token("files:create", "runs:update")
    make_file("a.csv", run=run)
    make_file("b.csv", run=run)

    assert api.post(f"{path_of(run)}/files", {"filename": "a.csv"}).status_code == 200
    assert api.patch(path_of(run), detected("a.csv", "b.csv")).status_code == 200
    assert api.patch(path_of(run), detected("b.csv", "c.csv")).status_code == 409


def test_a_report_over_the_quota_leaves_nothing_behind(as_token, settings):
    settings.MAX_FILES_PER_RUN = 2
    instrument = make_instrument()
    report = {"run_id": "r1"} | detected("a.csv", "b.csv", "c.csv")

    answer = as_token("runs:create").post(f"/api/v1/instruments/{instrument.pk}/runs", report)

    assert (answer.status_code, answer.json()["error"]["details"]["asked"]) == (409, 3)
    assert not instrument.runs.exists()


def test_processed_files_are_counted_by_themselves(as_token, settings):
    settings.MAX_FILES_PER_RUN = 1
    run, api = make_run(), as_token("files:create")
    make_file("a.csv", run=run)

    path = f"{path_of(run)}/files"
    assert api.post(path, {"filename": "a.json", "category": "processed"}).status_code == 201
    assert api.post(path, {"filename": "b.json", "category": "processed"}).status_code == 409


@pytest.mark.django_db(transaction=True)
def test_thirty_at_once_find_no_more_room_than_there_is(settings):
    settings.MAX_FILES_PER_RUN = 5
    run, by = make_run(), caller_for_token(make_token())

    def record(number):
        new = NewFile(f"{number}.csv", f"{number}.csv")
        try:
            record_file(instrument=run.instrument_id, run_id=run.run_id, new=new, by=by, at=now())
        except QuotaReached:
            return "full"
        return "made"

    assert at_once(12, record).count("made") == 5
    assert run.files.count() == 5


@pytest.mark.usefixtures("noon")
def test_an_instrument_sends_no_more_bytes_a_day_than_it_may(as_token, settings):
    settings.MAX_BYTES_PER_INSTRUMENT_PER_DAY = 10
    run, api = make_run(), as_token("runs:upload")
    ask(api, run, b"1234567", "a.raw")

    answer = api.post(f"{path_of(run)}/request-upload-url", announced(b"1234", "b.raw"))

    assert answer.status_code == 409
    details = answer.json()["error"]["details"]
    assert details.pop("resets_at").endswith("T00:00:00.000Z")
    assert details == {"quota": "bytes_of_instrument_and_day", "limit": 10, "used": 7, "asked": 4}
    assert not run.files.filter(filename="b.raw").exists()
    assert ask(api, run, b"123", "c.raw")["upload_url"]


@pytest.mark.usefixtures("noon")
def test_asking_again_for_the_same_bytes_counts_once_and_others_have_their_own(as_token, settings):
    settings.MAX_BYTES_PER_INSTRUMENT_PER_DAY = 10
    run, api = make_run(), as_token("runs:upload")
    for _ in range(3):
        ask(api, run, b"1234567", "a.raw")

    assert DailyIntake.objects.get().size_bytes == 7
    assert ask(api, make_run(), b"1234567", "a.raw")["upload_url"]


def test_a_file_larger_than_a_whole_day_is_refused(as_token, settings):
    settings.MAX_BYTES_PER_INSTRUMENT_PER_DAY = 3

    answer = as_token("runs:upload").post(f"{path_of(make_run())}/request-upload-url", announced(b"1234"))

    assert (answer.status_code, answer.json()["error"]["details"]["used"]) == (409, 0)


def test_the_day_is_that_of_the_service(settings):
    settings.MAX_BYTES_PER_INSTRUMENT_PER_DAY = 10
    settings.TIME_ZONE = "Pacific/Auckland"
    run, evening = make_run(), now().replace(hour=23, minute=30)

    reserve_bytes(run, 10, at=evening)
    reserve_bytes(run, 10, at=evening - timedelta(hours=14))

    days = set(DailyIntake.objects.values_list("day", flat=True))
    assert days == {evening.date() + timedelta(days=1), evening.date()}


def test_without_a_quota_nothing_is_counted(as_token):
    ask(as_token("runs:upload"), make_run(), b"1234")

    assert not DailyIntake.objects.exists()


def test_old_days_are_forgotten():
    instrument, at = make_instrument(), now()
    for age in (0, 30):
        DailyIntake.objects.create(instrument=instrument, day=service_day_of(at - timedelta(days=age)), size_bytes=1)

    delete_old_intakes(at=at)

    assert DailyIntake.objects.get().day == service_day_of(at)


@pytest.mark.parametrize(
    ("constraint", "size"), [("one_intake_per_instrument_and_day", 1), ("intake_is_not_negative", -1)]
)
def test_the_database_keeps_the_count_sound(refused_by, constraint, size):
    known = DailyIntake.objects.create(instrument=make_instrument(), day=service_day_of(now()), size_bytes=1)
    other = known.day if size > 0 else known.day - timedelta(days=1)

    refused_by(
        constraint,
        lambda: DailyIntake.objects.create(instrument=known.instrument, day=other, size_bytes=size),
    )
