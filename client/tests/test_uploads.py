"""Folders into runs of the running service."""

import errno
import hashlib
import json
import os
import sys

import httpx
import pytest

import instrument_data as ids
from client.tests.desk import Answer, listed, refusal
from instrument_data import local_files
from instrument_data.errors import Conflict, Unauthorized, UnknownName, UploadFailed
from instrument_data.progress import NoBar

MIB = 1 << 20


class Counting(NoBar):
    """A bar that counts; `end_at` bytes it ends the program, as Ctrl-C does."""

    def __init__(self, end_at=None):
        self.total = self.done = 0
        self.end_at = end_at

    def start(self, what, total_bytes):
        self.total = total_bytes

    def advance(self, count):
        self.done += count
        if self.end_at is not None and self.done >= self.end_at:
            raise KeyboardInterrupt


def stored(lab, bench, run="R1"):
    return {file.relative_path: file for file in lab.run(bench.instrument, run).files}


def count_puts(lab):
    """The requests that bring bytes, from here on."""
    sent = []
    lab.connection.store.event_hooks["request"].append(lambda request: sent.append(request.url.path))
    return sent


def test_a_folder_becomes_a_run(lab, bench, results):
    report = lab.upload(results, instrument=bench.instrument, run="R1", metadata={"plate_id": "P7"})

    files = stored(lab, bench)
    assert sorted(report.uploaded) == sorted(files) == ["plate 1/empty.txt", "plate 1/scan.bin", "raw.csv"]
    assert files["raw.csv"].sha256 == hashlib.sha256((results / "raw.csv").read_bytes()).hexdigest()
    assert report.run.metadata == {"plate_id": "P7"}
    assert (report.run.file_count, report.run.status == "empty") == (3, False)
    assert repr(report) == "<UploadReport of R1: 3 uploaded, 0 known already, 0 failed>"
    assert "pending" not in {file.status for file in files.values()}  # whether they can be read is another matter


def test_repeating_an_upload_sends_nothing(lab, bench, results):
    lab.upload(results, instrument=bench.instrument, run="R1")
    puts = count_puts(lab)

    report = lab.upload(results, instrument=bench.instrument, run="R1")

    assert (report.uploaded, len(report.known), puts) == ([], 3, [])


def test_many_small_files_go_together(lab, bench, tmp_path):
    """Two calls for each of the groups that go at a time, in place of two for each file."""
    for number in range(40):
        (tmp_path / f"{number}.csv").write_text(f"well,value\nA1,{number}\n")
    asked = []
    lab.connection._service.event_hooks["request"].append(lambda request: asked.append(request.url.path))

    report = lab.upload(tmp_path, instrument=bench.instrument, run="R1", parallel=4)

    assert (len(report.uploaded), report.failed) == (40, {})
    assert len(stored(lab, bench)) == 40
    routes = [path.rpartition("/")[2] for path in asked]
    assert (routes.count("files:batch"), routes.count("files:confirm")) == (4, 4)
    assert routes.count("request-upload-url") == 0


def test_one_refused_file_of_a_group_refuses_no_other(lab, bench, results):
    lab.upload(results, instrument=bench.instrument, run="R1")
    (results / "raw.csv").write_text("other bytes")
    (results / "new.csv").write_text("new")

    with pytest.raises(UploadFailed) as refused:
        lab.upload(results, instrument=bench.instrument, run="R1")

    assert list(refused.value.report.failed) == ["raw.csv"]
    assert "new.csv" in stored(lab, bench)


def test_a_file_alone_is_a_run_too(lab, bench, results):
    report = lab.upload(results / "raw.csv", instrument=bench.instrument, run="R1")

    assert report.uploaded == ["raw.csv"]


def test_an_instrument_answers_to_its_display_name(lab, bench, results):
    report = lab.upload(results, instrument=f"synergy {bench.instrument}", run="R1")

    assert report.run.instrument_id == bench.instrument


def test_an_instrument_is_made_once(lab, bench):
    made = lab.create_instrument(f"{bench.instrument}-2", display_name="Another")

    assert (made.display_name, made.status) == ("Another", "pending")
    with pytest.raises(Conflict):
        lab.create_instrument(made.id)


def test_an_unknown_instrument_names_the_nearest(lab, bench, results):
    with pytest.raises(UnknownName, match=bench.instrument):
        lab.upload(results, instrument=f"{bench.instrument}x", run="R1")


def test_an_instrument_is_near_once_though_its_id_and_its_name_are(lab, bench, results):
    with pytest.raises(UnknownName) as refused:
        lab.upload(results, instrument=f"{bench.instrument}x", run="R1")

    assert str(refused.value).count(f"({bench.instrument})") == 1


def test_stored_bytes_are_never_replaced_and_the_rest_is_sent(lab, bench, results):
    lab.upload(results / "raw.csv", instrument=bench.instrument, run="R1")
    (results / "raw.csv").write_text("well,value\nB3,0.7\n")

    with pytest.raises(UploadFailed, match=r"1 of 3 files.*raw\.csv") as caught:
        lab.upload(results, instrument=bench.instrument, run="R1")

    assert sorted(caught.value.report.uploaded) == ["plate 1/empty.txt", "plate 1/scan.bin"]
    assert "raw.csv" in caught.value.report.failed


def test_other_bytes_become_the_next_version_where_that_is_asked_for(lab, bench, results):
    lab.upload(results / "raw.csv", instrument=bench.instrument, run="R1")
    (results / "raw.csv").write_text("well,value\nB3,0.7\n")

    lab.upload(results / "raw.csv", instrument=bench.instrument, run="R1", new_version=True)

    assert sorted(stored(lab, bench)) == ["raw.csv", "raw~2.csv"]


def test_a_large_file_goes_in_parts_and_a_break_costs_one_part(lab, bench, tmp_path):
    large = tmp_path / "large.raw"
    large.write_bytes(bytes(range(256)) * (12 * MIB // 256))
    with pytest.raises(KeyboardInterrupt):
        lab.upload(large, instrument=bench.instrument, run="R1", part_size=5 * MIB, progress=Counting(6 * MIB))
    puts = count_puts(lab)

    bar = Counting()
    report = lab.upload(large, instrument=bench.instrument, run="R1", part_size=5 * MIB, progress=bar)

    assert report.uploaded == ["large.raw"]
    assert len(puts) == 2  # of three
    assert bar.done == bar.total == 12 * MIB
    assert stored(lab, bench)["large.raw"].status in ("uploaded", "processing", "completed")
    assert not list((lab.cache.root / "uploads").glob("*"))  # nothing is left to remember


@pytest.mark.parametrize(
    ("status", "code", "error"), [(401, "UNAUTHORIZED", Unauthorized), (503, "SERVICE_UNAVAILABLE", UploadFailed)]
)
def test_what_was_sent_is_remembered_where_the_token_ends_or_the_service_is_busy(tmp_path, desk, status, code, error):
    """At the very end, when all parts are there: a hundred gigabytes are not sent twice for that."""
    large = tmp_path / "large.raw"
    large.write_bytes(bytes(5 * MIB))
    run = "/instruments/i/runs/R1"
    desk.tell("GET", "/instruments", listed([{"id": "i", "display_name": "I"}]))
    desk.tell("POST", "/instruments/i/runs", Answer({"instrument_id": "i", "run_id": "R1"}, 201))
    parts = {"upload_type": "multipart", "upload_id": "u", "part_size": 5 * MIB}
    desk.tell("POST", f"{run}/request-upload-url", Answer({"file_id": 7, "already_uploaded": False, **parts}))
    signed = {"upload_url": f"{desk.url}/store/1", "headers": {}}
    desk.tell("POST", "/files/7/multipart-upload/part-urls", Answer({"parts": [signed]}))
    desk.tell("PUT", "/store/1", Answer(b"", headers={"ETag": '"e"'}))
    desk.tell("POST", "/files/7/multipart-upload/complete", refusal(code, "Not now.", status=status))

    with ids.connect(desk.url, "ids_x", patience=0) as lab:
        for _ in range(2):
            with pytest.raises(error):
                lab.upload(large, instrument="i", run="R1", part_size=5 * MIB)

    assert len(desk.asked("/store/1")) == 1


def test_a_service_that_is_gone_is_waited_for_once(lab, bench, tmp_path, monkeypatch):
    """Not once for each of a thousand files, two minutes each."""
    for number in range(4):
        (tmp_path / f"{number}.raw").write_bytes(bytes(2 * MIB))
    asked = []

    def refuse(request, **_):
        asked.append(request)
        raise httpx.ConnectError("Connection refused")

    lab.connection.patience = 0
    end_service = lambda _: monkeypatch.setattr(lab.connection._service, "send", refuse)  # noqa: E731
    lab.connection.store.event_hooks["request"].append(end_service)

    with pytest.raises(ids.errors.ServiceAway):
        lab.upload(tmp_path, instrument=bench.instrument, run="R1", parallel=1)

    assert len(asked) == 1


def test_notes_that_are_wrong_cost_one_more_call(lab, bench, tmp_path):
    large = tmp_path / "large.raw"
    large.write_bytes(bytes(range(256)) * (12 * MIB // 256))
    with pytest.raises(KeyboardInterrupt):
        lab.upload(large, instrument=bench.instrument, run="R1", part_size=5 * MIB, progress=Counting(6 * MIB))
    [notes] = (lab.cache.root / "uploads").glob("*.json")
    notes.write_text(json.dumps({"1": "0" * 32}))

    with pytest.raises(UploadFailed):
        lab.upload(large, instrument=bench.instrument, run="R1", part_size=5 * MIB)
    report = lab.upload(large, instrument=bench.instrument, run="R1", part_size=5 * MIB)

    assert report.uploaded == ["large.raw"]


def test_a_lost_answer_heals_itself(lab, bench, results):
    """The bytes arrived, and the program ended before it said so."""
    path = results / "raw.csv"
    order = {
        "filename": "raw.csv",
        "size_bytes": path.stat().st_size,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }
    lab.connection.ask("POST", f"/instruments/{bench.instrument}/runs", body={"run_id": "R1"})
    run = f"/instruments/{bench.instrument}/runs/R1"
    ticket = lab.connection.ask("POST", f"{run}/request-upload-url", body=order)
    lab.connection.store.put(ticket["upload_url"], content=path.read_bytes(), headers=ticket["headers"])

    report = lab.upload(path, instrument=bench.instrument, run="R1")

    assert report.file_count == 1
    assert stored(lab, bench)["raw.csv"].status in ("uploaded", "processing", "completed")


@pytest.mark.parametrize("size", [20, MIB + 1])
@pytest.mark.parametrize("new_version", [False, True])
def test_what_another_stored_for_the_path_meanwhile_is_not_taken_for_ones_own(lab, bench, tmp_path, size, new_version):
    (tmp_path / "mine").mkdir()
    (tmp_path / "others").mkdir()
    mine, others = tmp_path / "mine/raw.csv", tmp_path / "others/raw.csv"
    mine.write_bytes(b"m" * size)
    others.write_bytes(b"o" * size)
    waiting = [others]

    def overtake(response):
        if waiting:
            path = waiting.pop()
            with ids.connect(bench.url, bench.token) as another:
                another.upload(path, instrument=bench.instrument, run="R1")

    lab.connection.store.event_hooks["response"].append(overtake)
    try:
        lab.upload(mine, instrument=bench.instrument, run="R1", new_version=new_version)
        is_refused = False
    except UploadFailed as refused:
        is_refused = "raw.csv" in refused.report.failed

    sums = {file.sha256 for file in stored(lab, bench).values()}
    own = hashlib.sha256(mine.read_bytes()).hexdigest()
    assert (waiting, is_refused, own in sums, len(sums)) == ([], not new_version, new_version, 1 + new_version)


def test_a_deleted_run_takes_nothing(lab, bench, results):
    lab.upload(results / "raw.csv", instrument=bench.instrument, run="R1")
    lab.connection.ask("DELETE", f"/instruments/{bench.instrument}/runs/R1")

    with pytest.raises(Conflict) as caught:
        lab.upload(results, instrument=bench.instrument, run="R1")

    assert caught.value.details["deleted_at"]


def test_what_is_not_there_is_no_upload(lab, bench, tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        lab.upload(tmp_path / "nowhere", instrument=bench.instrument, run="R1")


def test_more_files_than_a_page_go_eight_at_a_time(lab, bench, tmp_path, monkeypatch):
    monkeypatch.setattr("instrument_data._sync.connection.PER_PAGE", "10")
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(24):
        (folder / f"{number}.txt").write_text(str(number))

    report = lab.upload(folder, instrument=bench.instrument, run="R1", parallel=8)

    assert len(report.uploaded) == 24
    assert len(lab.run(bench.instrument, "R1").files.all()) == 24


def test_the_report_is_shown_in_a_notebook(lab, bench, results):
    report = lab.upload(results, instrument=bench.instrument, run="<R&1>")

    assert "&lt;R&amp;1&gt;" in report._repr_html_()


def test_the_same_upload_by_the_asynchronous_face(bench, results):
    import asyncio

    async def send():
        async with ids.connect_async(bench.url, bench.token) as lab:
            report = await lab.upload(results, instrument=bench.instrument, run="R1")
            run = await lab.runs(instrument=bench.instrument)[0]
            path = await (await run.files["raw.csv"]).path()
            return report, path, [file.relative_path async for file in run.files]

    report, path, names = asyncio.run(send())

    assert len(report.uploaded) == len(names) == 3
    assert path.read_bytes() == (results / "raw.csv").read_bytes()


def test_a_folder_without_files_makes_no_run(lab, bench, tmp_path):
    (tmp_path / "nothing" / "below").mkdir(parents=True)

    with pytest.raises(ids.errors.NothingToSend, match="no file in"):
        lab.upload(tmp_path / "nothing", instrument=bench.instrument, run="empty")

    assert len(lab.runs(instrument=bench.instrument)) == 0


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="there are no such names")
def test_a_name_that_is_not_unicode_is_told_and_all_others_arrive(lab, bench, results):
    (results / os.fsdecode(b"caf\xe9.csv")).write_bytes(b"latin-1")

    with pytest.raises(UploadFailed) as failure:
        lab.upload(results, instrument=bench.instrument, run="R1")

    assert failure.value.report.failed == {"caf\\udce9.csv": "Its name is not valid Unicode. Rename it."}
    assert sorted(stored(lab, bench)) == ["plate 1/empty.txt", "plate 1/scan.bin", "raw.csv"]


def test_a_folder_that_cannot_be_read_is_told_and_nothing_is_sent(lab, bench, results, monkeypatch):
    scandir = os.scandir

    def refuse(place):
        if str(place).endswith("plate 1"):
            raise PermissionError(errno.EACCES, "Permission denied", str(place))
        return scandir(place)

    monkeypatch.setattr(os, "scandir", refuse)

    with pytest.raises(PermissionError, match="plate 1"):
        lab.upload(results, instrument=bench.instrument, run="R1")

    assert not lab.runs(instrument=bench.instrument)


@pytest.mark.parametrize("size", [1_000, 3 * MIB])
def test_a_file_that_is_cut_short_meanwhile_is_told_at_once(lab, bench, tmp_path, monkeypatch, size):
    place = tmp_path / "raw.bin"
    place.write_bytes(os.urandom(size))
    describe_whole = local_files.describe

    def describe(file):
        described = describe_whole(file)
        os.truncate(place, size // 2)
        return described

    monkeypatch.setattr("instrument_data._sync.uploads.describe", describe)

    with pytest.raises(UploadFailed) as caught:
        lab.upload(place, instrument=bench.instrument, run="R1")

    assert caught.value.report.failed["raw.bin"] in (
        "It was cut short while it was sent.",
        "It is still being written.",
    )
