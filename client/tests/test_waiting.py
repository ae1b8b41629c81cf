"""What is asked again, how long is waited, and what is not asked again."""

import asyncio
import hashlib
import time
from datetime import datetime, timedelta, timezone

import pytest

import instrument_data as ids
from client.tests.desk import Answer, listed, refusal
from instrument_data._async import waiting as async_waiting
from instrument_data._sync import waiting as sync_waiting
from instrument_data.errors import RateLimited, ServiceError, ServiceUnavailable
from instrument_data.retries import Patience, seconds_asked_for

DATA = bytes(range(256)) * 400
SHA = hashlib.sha256(DATA).hexdigest()


@pytest.fixture
def lab(desk):
    with ids.connect(desk.url, "ids_x", patience=5) as laboratory:
        yield laboratory


@pytest.fixture
def waits(monkeypatch):
    """Seconds that would have been waited."""
    waited: list[float] = []
    monkeypatch.setattr("instrument_data._sync.connection.sleep", waited.append)
    monkeypatch.setattr("instrument_data._sync.file.sleep", waited.append)
    return waited


def test_retry_after_is_honoured(lab, desk, waits):
    busy = refusal("RATE_LIMITED", "Too many.", status=429, Retry_After="2")
    desk.tell("GET", "/whoami", busy, Answer({"name": "script"}))

    assert lab.whoami() == {"name": "script"}
    assert 2 <= waits[0] < 2.5


def test_patience_ends_with_the_services_sentence(lab, desk, waits):
    desk.tell("GET", "/whoami", refusal("RATE_LIMITED", "Too many requests.", status=429, Retry_After="60"))

    with pytest.raises(RateLimited, match=r"Too many requests\."):
        lab.whoami()

    assert waits == []


def test_without_retry_after_each_wait_is_longer(lab, desk, waits):
    desk.tell("GET", "/whoami", refusal("SERVICE_UNAVAILABLE", "Away.", status=503))

    with pytest.raises(ServiceUnavailable, match="Away"):
        lab.whoami()

    assert waits == sorted(waits)
    assert len(waits) >= 3


def test_a_proxys_page_is_told_by_its_status(lab, desk, waits):
    desk.tell("GET", "/whoami", Answer(b"<html>Bad gateway</html>", 502))

    with pytest.raises(ServiceError, match="502") as caught:
        lab.whoami()

    assert caught.value.code == "HTTP_502"


def test_a_refusal_is_not_asked_again(lab, desk, waits):
    desk.tell("GET", "/whoami", refusal("INTERNAL_ERROR", "A fault.", status=500))

    with pytest.raises(ServiceError, match="A fault"):
        lab.whoami()

    assert len(desk.asked("/whoami")) == 1


def test_a_repeated_post_carries_one_key(lab, desk, waits):
    away = refusal("SERVICE_UNAVAILABLE", "Away.", status=503)
    desk.tell("POST", "/instruments/x/runs/R/comments", away, Answer({"id": "1"}, 201))

    lab.connection.ask("POST", "/instruments/x/runs/R/comments", body={"body": "!"})

    first, second = desk.asked("/instruments/x/runs/R/comments")
    assert first.headers["Idempotency-Key"] == second.headers["Idempotency-Key"]


def test_an_answer_that_broke_off_is_asked_for_again(lab, desk, waits):
    """A service that is started anew breaks off what it is saying."""
    desk.tell("GET", "/whoami", Answer({"name": "script"}, cut_after=5), Answer({"name": "script"}))

    assert lab.whoami() == {"name": "script"}


def test_a_post_whose_answer_broke_off_is_repeated_under_its_key(lab, desk, waits):
    desk.tell("POST", "/instruments", Answer({"id": "i"}, 201, cut_after=3), Answer({"id": "i"}, 201))

    assert lab.connection.ask("POST", "/instruments", body={"id": "i"}) == {"id": "i"}

    first, second = desk.asked("/instruments")
    assert first.headers["Idempotency-Key"] == second.headers["Idempotency-Key"]


def test_answers_that_go_on_breaking_off_are_none(lab, desk, waits):
    desk.tell("GET", "/whoami", Answer({"name": "script"}, cut_after=5))

    with pytest.raises(ids.errors.ServiceAway, match="does not answer"):
        lab.whoami()


def file_at(desk, *answers, **fields):
    record = {"id": 7, "filename": "scan.raw", "relative_path": "scan.raw", "category": "raw", "sha256": SHA, **fields}
    desk.tell("GET", "/instruments/i/runs/R", Answer({"instrument_id": "i", "run_id": "R"}))
    desk.tell("GET", "/instruments/i/runs/R/files", listed([{"size_bytes": len(DATA), "crc32": None, **record}]))
    desk.tell("GET", "/instruments", listed([{"id": "i", "display_name": "I"}]))
    desk.tell("GET", "/files/7/download", Answer({"download_url": f"{desk.url}/store/7"}))
    desk.tell("GET", "/store/7", *answers)


def test_a_download_goes_on_where_it_broke(lab, desk, waits):
    file_at(desk, Answer(DATA, cut_after=60_000), Answer(DATA[60_000:], 206))

    path = lab.run("i", "R").files["scan.raw"].path()

    assert path.read_bytes() == DATA
    assert [question.headers.get("Range") for question in desk.asked("/store/7")] == [None, "bytes=60000-"]


def test_a_download_that_comes_in_many_pieces_comes(lab, desk, waits):
    """Patience is for waiting without anything coming: a long file over a bad line breaks often."""
    step = len(DATA) // 40
    breaks = [Answer(DATA[at:], 206 if at else 200, cut_after=step) for at in range(0, len(DATA) - step, step)]
    file_at(desk, *breaks, Answer(DATA[-step:], 206))

    assert lab.run("i", "R").files["scan.raw"].read_bytes() == DATA
    assert len(waits) == 39


def test_a_download_of_which_nothing_more_comes_ends(lab, desk, waits):
    file_at(desk, Answer(DATA, cut_after=60_000), Answer(b"", 503))

    with pytest.raises(ids.errors.StoreRefused, match="503"):
        lab.run("i", "R").files["scan.raw"].path()


def test_an_address_that_ended_is_asked_for_again(lab, desk, waits):
    file_at(desk, Answer(b"", 403), Answer(DATA))

    assert lab.run("i", "R").files["scan.raw"].read_bytes() == DATA
    assert len(desk.asked("/files/7/download")) == 2


def test_no_token_goes_to_the_store(lab, desk):
    file_at(desk, Answer(DATA))

    lab.run("i", "R").files["scan.raw"].path()

    [question] = desk.asked("/store/7")
    assert "Authorization" not in question.headers


def test_wrong_bytes_are_not_kept(lab, desk):
    file_at(desk, Answer(DATA[:-1] + b"!"))

    with pytest.raises(ids.errors.ChecksumMismatch, match="SHA-256"):
        lab.run("i", "R").files["scan.raw"].path()
    assert not [path for path in lab.cache.root.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("3", 3.0),
        (None, None),
        ("", None),
        ("soon", None),
        ("Mon, 23 Nov 2026 12:00:10 GMT", 10.0),
        ("Mon, 23 Nov 2026 12:00:10 -0000", 10.0),
    ],
)
def test_what_retry_after_asks_for(said, seconds):
    assert seconds_asked_for(said, at=datetime(2026, 11, 23, 12, tzinfo=timezone.utc)) == seconds


def test_patience_is_for_the_whole_call():
    patience = Patience(3, chance=lambda: 0)

    assert [patience.next_wait("1"), patience.next_wait("2"), patience.next_wait("1")] == [1, 2, None]


def test_what_came_meanwhile_renews_patience():
    patience = Patience(3, chance=lambda: 0)
    patience.next_wait("3")

    patience.renew()

    assert patience.next_wait("3") == 3


def test_a_time_that_is_over_is_no_wait():
    past = datetime.now(timezone.utc) + timedelta(days=365)

    assert seconds_asked_for("Mon, 23 Nov 2020 12:00:00 GMT", at=past) == 0


def test_several_at_once_and_no_more_by_threads():
    assert sorted(sync_waiting.each(lambda item: item * 2, range(50), limit=3)) == list(range(0, 100, 2))


def test_several_at_once_and_no_more_by_tasks():
    running, most = 0, 0

    async def work(item):
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        return item

    async def collect():
        return [result async for result in async_waiting.each(work, range(50), limit=3)]

    assert sorted(asyncio.run(collect())) == list(range(50))
    assert most == 3


def test_one_failure_ends_the_rest():
    begun = []

    def work(item):
        begun.append(item)
        if item == 1:
            raise ValueError(item)
        return item

    with pytest.raises(ValueError, match="1"):
        list(sync_waiting.each(work, range(1000), limit=2))

    assert len(begun) < 1000


def test_what_nobody_waits_for_ends_with_its_next_piece():
    """Ctrl-C while a file of many gigabytes is on its way."""

    def work(item):
        for _ in range(item * 1000):
            sync_waiting.in_thread(time.sleep, 0.01)
        return item

    begun = time.monotonic()
    for _ in sync_waiting.each(work, range(3), limit=3):
        break

    assert time.monotonic() - begun < 5


def test_what_nobody_waits_for_is_not_asked_again():
    def work(item):
        sync_waiting.sleep(item * 10)
        return item

    begun = time.monotonic()
    for _ in sync_waiting.each(work, range(2), limit=2):
        break

    assert time.monotonic() - begun < 5


PROXY = Answer(b"<html>Sign in to the network</html>", headers={"Content-Type": "text/html"})
OTHERS = [
    PROXY,
    Answer(PROXY.body, 502),
    Answer(b"", 302, {"Location": "https://proxy.example/"}),
    Answer(b""),
    Answer(None),
    Answer({"ok": True}),
    Answer([1]),
]


@pytest.mark.parametrize("answer", OTHERS)
def test_who_is_no_such_service_is_told_by_a_sentence(desk, answer):
    for path in ("/whoami", "/instruments", "/instrument-runs", "/changes"):
        desk.tell("GET", path, answer)

    with ids.connect(desk.url, "ids_x", patience=0) as lab:
        asked = [lab.whoami, lab.instruments, lab.runs().all, lab.runs().count, lab.position, lambda: next(lab.watch())]
        for ask in asked:
            with pytest.raises(
                ids.InstrumentDataError, match=r"answers \d+, but not as an Instrument Data Service does"
            ):
                ask()


def test_a_proxys_page_is_not_kept_as_a_table(desk, tmp_path):
    desk.tell("GET", "/instrument-runs", PROXY)

    with ids.connect(desk.url, "ids_x", patience=0) as lab, pytest.raises(ids.errors.ServiceAway, match="but not as"):
        lab.runs().save(tmp_path / "runs.csv")

    assert not list(tmp_path.glob("runs*"))
