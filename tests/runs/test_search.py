import pytest

from runs import words
from runs.models import Claim, Run
from tests.factories import make_comment, make_file, make_instrument, make_run, make_user

RUNS = "/api/v1/instrument-runs"


def days(*days_of_january: int) -> None:
    for day in days_of_january:
        make_run(run_id=str(day), acquired_at=f"2026-01-{day:02}T12:00Z")


def test_the_latest_comes_first(found):
    days(3, 5, 4)

    assert found() == ["5", "4", "3"]
    assert found("order=asc") == ["3", "4", "5"]


def test_runs_of_one_moment_go_by_their_id(found):
    twins = [make_run(acquired_at="2026-01-01T00:00Z") for _ in range(3)]

    assert found() == [run.run_id for run in sorted(twins, key=lambda run: run.id, reverse=True)]


def test_what_has_no_time_of_acquisition_stands_where_it_was_reported(found):
    days(3, 5)
    make_run(run_id="4", created_at="2026-01-04T00:00Z")

    assert found() == ["5", "4", "3"]
    assert found("date_from=2026-01-04&date_to=2026-01-04") == ["4"]


@pytest.mark.parametrize(
    ("query", "run_ids"),
    [
        ("date_from=2026-01-03", ["4", "3"]),
        ("date_to=2026-01-03", ["3", "2"]),
        ("date_from=2026-01-03T12:00:00Z&date_to=2026-01-03T12:00:00Z", ["3"]),
        ("date_from=2026-01-03T12:00:00.001Z", ["4"]),
        ("date_to=2026-01-03T13:00:00%2B01:00", ["3", "2"]),
        ("date_from=2026-02-01", []),
    ],
)
def test_dates_are_inclusive_days_or_moments(found, query, run_ids):
    days(2, 3, 4)

    assert found(query) == run_ids


def test_a_day_is_one_of_the_services_time_zone(found, settings):
    settings.TIME_ZONE = "Asia/Tokyo"
    make_run(run_id="late", acquired_at="2026-01-02T15:30:00Z")

    assert found("date_from=2026-01-03&date_to=2026-01-03") == ["late"]


def test_instruments_are_alternatives(found):
    for name in ("a", "b", "c"):
        make_run(instrument=make_instrument(id=name), run_id=name, acquired_at=f"2026-01-0{ord(name) - 96}T00:00Z")

    assert found("instrument_id=a&instrument_id=c") == ["c", "a"]
    assert found("instrument_id=b") == ["b"]
    assert found("instrument_id=nowhere") == []


@pytest.mark.parametrize(
    ("text", "run_ids"),
    [
        ("plate", ["Plate_1", "my PLATE%2"]),
        ("_1", ["Plate_1"]),
        ("%25", ["my PLATE%2"]),
        ("GRÖßE µ", ["größe µ"]),
        ("gro%CC%88%C3%9Fe", ["größe µ"]),
        ("\\", []),
        ("absent", []),
    ],
)
def test_text_is_a_part_of_the_run_id_in_any_case(found, text, run_ids):
    for day, run_id in enumerate(["größe µ", "my PLATE%2", "Plate_1"], start=1):
        make_run(run_id=run_id, acquired_at=f"2026-01-0{day}T00:00Z")

    assert sorted(found(f"search={text}")) == sorted(run_ids)


def test_text_finds_names_that_were_sent_decomposed(found):
    make_run(run_id="gro\u0308\u00dfe")

    assert found("search=GR%C3%96%C3%9FE") == ["gro\u0308\u00dfe"]


LONG = ["20250703_Größe%_532422", "20250703_größe%_532423", "532422", "a_20250703_größe_5324220", "straße-1234567"]


@pytest.mark.parametrize(
    ("text", "run_ids"),
    [
        ("20250703_GRÖSSE%25_532422", []),
        ("20250703_GRÖßE%25_532422", LONG[:1]),
        ("größe%25_53242", LONG[:2]),
        ("größe_53242", [LONG[3]]),
        ("gro%CC%88%C3%9Fe_5324220", [LONG[3]]),
        ("_532422", [LONG[0], LONG[3]]),
        ("0703_größe", [*LONG[:2], LONG[3]]),
        ("STRAßE-1234567", [LONG[4]]),
        ("xtraße-1234567", []),
    ],
)
def test_a_long_text_that_ends_in_a_number_is_a_part_like_any_other(found, text, run_ids):
    for run_id in LONG:
        make_run(run_id=run_id)

    assert sorted(found(f"search={text}")) == sorted(run_ids)


def run_with(status: str, **fields) -> Run:
    run = make_run(run_id=status)
    make_file(run=run, status=status, **fields)
    return run


def test_a_status_is_derived_from_the_files(found):
    for status in ("failed", "detected", "uploaded", "processing", "completed"):
        run_with(status)
    make_run(run_id="none")

    assert found("status=failed") == ["failed"]
    assert found("status=pending_upload") == ["detected"]
    assert found("status=uploaded") == ["uploaded"]
    assert found("status=processing") == ["processing"]
    assert found("status=completed") == ["completed"]
    assert found("status=empty") == ["none"]
    assert sorted(found("status=empty&status=failed&status=uploaded")) == ["failed", "none", "uploaded"]


def test_the_first_status_that_applies_is_shown(as_token):
    run = make_run()
    for status in ("completed", "processing", "uploaded", "detected", "failed"):
        make_file(run=run, status=status)

    assert as_token().get(RUNS).json()["data"][0]["status"] == "failed"


def test_a_run_stalls_after_twenty_minutes_of_processing(as_token, found):
    run = run_with("processing", processing_since="2026-01-01T00:00Z")
    make_file(run=run, status="uploaded")
    run_with("uploaded")
    api = as_token()

    assert [row["status"] for row in api.get(f"{RUNS}?search=processing").json()["data"]] == ["stalled"]
    assert found("status=stalled") == ["processing"]
    assert found("status=processing") == []
    assert found("status=uploaded") == ["uploaded"]
    assert sorted(found("status=uploaded&status=stalled")) == ["processing", "uploaded"]


def test_a_failed_run_never_stalls(found):
    run = run_with("processing", processing_since="2026-01-01T00:00Z")
    make_file(run=run, status="failed")

    assert found("status=stalled") == []
    assert found("status=failed") == ["processing"]


def test_who_ran_it_is_who_claims_it(as_person, found):
    api, other = as_person(), make_user()
    for run_id, people in {"mine": [api.user], "ours": [api.user, other], "theirs": [other], "nobodys": []}.items():
        run = make_run(run_id=run_id)
        Claim.objects.bulk_create(Claim(run=run, user=user) for user in people)

    assert sorted(found(f"ranBy={other.id}")) == ["ours", "theirs"]
    assert found("ranBy=unattributed") == ["nobodys"]
    assert {row["run_id"] for row in api.get(f"{RUNS}?ranBy=me").json()["data"]} == {"mine", "ours"}


def test_source_is_a_filter(found):
    make_run(run_id="by worker", source="worker")
    make_run(run_id="by script", source="script")

    assert found("source=worker") == ["by worker"]


def test_changed_since(found):
    make_run(run_id="old", updated_at="2026-01-01T00:00Z")
    make_run(run_id="new", updated_at="2026-01-02T00:00Z")

    assert found("updated_since=2026-01-02") == ["new"]


@pytest.mark.parametrize(
    ("query", "matches"),
    [
        ("metadata.operator=ada", True),
        ("metadata.operator=Ada", False),
        ("metadata.plates=2", True),
        ("metadata.plates=P-9", True),
        ("metadata.volume=1.5", True),
        ("metadata.volume=1.50", False),
        ("metadata.count=9007199254740993", True),
        ("metadata.dry=true", True),
        ("metadata.operator=ada&metadata.dry=true", True),
        ("metadata.operator=ada&metadata.dry=false", False),
        ("metadata.plates=2&metadata.plates=P-9", True),
        ("metadata.note=", True),
        ("metadata.nested=x", False),
        ("metadata.nothing=null", False),
        ("metadata.wrong=fixed", True),
        ("metadata.wrong=found", False),
        ("metadata.a=b%3Dc", False),
        ("metadata.long=" + "x" * 300, True),
        ("metadata.long=" + "x" * 299, False),
    ],
)
def test_metadata_is_found_by_what_is_stored_at_its_top(found, as_token, query, matches):
    make_instrument(id="reader")
    body = b"""{"run_id": "7", "metadata": {"operator": "ada", "plates": [2, "P-9", {"x": 1}], "volume": 1.5,
        "count": 9007199254740993, "dry": true, "note": "", "nested": {"x": "x"}, "nothing": null,
        "wrong": "fixed", "a=b": "c", "long": "%s"}}""" % (b"x" * 300)
    assert as_token().post("/api/v1/instruments/reader/runs", body).status_code == 201
    Run.objects.update(extracted={"wrong": "found"})

    assert found(query) == (["7"] if matches else [])


def test_unknown_parameters_are_ignored(found):
    make_run(run_id="7")

    assert found("colour=") == ["7"]


@pytest.mark.parametrize(
    ("query", "run_ids"),
    [
        ("metadata[nm]=280", ["a"]),
        ("metadata[nm][gt]=99", ["a", "b", "c", "d"]),
        ("metadata[nm][gt]=280", ["b", "d"]),
        ("metadata[nm][ge]=280.0", ["a", "b", "d"]),
        ("metadata[nm][lt]=280", ["c"]),
        ("metadata[nm][le]=0100", ["c"]),
        ("metadata[nm][gt]=-1e3&metadata[nm][lt]=281", ["a", "c"]),
        ("metadata[nm][ne]=280", ["b", "c", "d"]),
        ("metadata[nm][exists]=true", ["a", "b", "c", "d"]),
        ("metadata[nm][exists]=false", ["e"]),
        ("metadata[nm][contains]=UnKn", ["d"]),
        ("metadata[nm][contains]=.*", []),
        ("metadata[nm][gt]=t", ["d"]),
        ("metadata[day][ge]=2026-02-01", ["b"]),
        ("metadata[day][ne]=2026-02-03&metadata.nm=280", ["a"]),
    ],
)
def test_metadata_is_compared(found, query, run_ids):
    values = {"a": 280, "b": [300, 450.5], "c": 100, "d": "unknown"}
    for run_id, value in values.items():
        day = {"a": {"day": "2026-01-31"}, "b": {"day": "2026-02-03"}}.get(run_id, {})
        make_run(run_id=run_id, caller_metadata={"nm": value} | day)
    make_run(run_id="e")

    assert sorted(found(query)) == run_ids


@pytest.mark.parametrize(
    "name",
    [
        *("metadata", "metadata[]", "metadata[a", "metadata[a]x", "metadata[a][between]", "metadata[a][gt][lt]"),
        *("metadata_a", "metadata[a b]", "metadata.a[gt]", "metadata[a][]", "metadata[a][eq]"),
    ],
)
def test_a_metadata_parameter_of_another_form_is_refused_by_name(as_token, name):
    answer = as_token().get(f"/api/v1/instrument-runs?{name}=1")

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == [name]


@pytest.mark.parametrize("query", ["metadata[a][exists]=1", "metadata[a][contains]=", "metadata[a][gt]=%00"])
def test_a_comparison_with_what_it_cannot_take_is_refused(as_token, query):
    assert as_token().get(f"/api/v1/instrument-runs?{query}").status_code == 400


@pytest.mark.parametrize(
    "value", ["%22", "%5C", "%22)%20%7C%7C%20(1%3D%3D1", "1e999", "1.", "-", "--1", "%F0%9F%A7%AA"]
)
def test_no_value_of_a_comparison_breaks_it(found, value):
    make_run(caller_metadata={"a": 1})

    assert isinstance(found(f"metadata[a][gt]={value}&metadata[b][exists]=false"), list)
    assert found(f"metadata[a][contains]={value}") == []


@pytest.mark.parametrize(
    ("most", "near"),
    [(0, 5_000), (1, 5_000), (1_000, 5_000), (0, 1)],
    ids=["looked for in all", "one run is few", "each is few", "few are near"],
)
@pytest.mark.parametrize(
    ("query", "run_ids"),
    [
        ("plate-7", ["plate-7"]),
        ("jenny", ["plate-7"]),
        ("jENNy 280.5", ["plate-7"]),
        ("deep", ["plate-7"]),
        ("spectrum jenny", ["plate-7"]),
        ("spectrum", ["plate-7", "plate-8"]),
        ("odd", ["plate-8"]),
        ("cary", ["plate-7", "plate-8"]),
        ("cary jenny odd", []),
        ("gone", []),
        ("a%25", []),
    ],
)
def test_words_all_occur_somewhere_in_a_run(found, query, run_ids, most, near, monkeypatch):
    monkeypatch.setattr("runs.words.MAX_FEW_RUNS", most)
    monkeypatch.setattr("runs.search.NEAR_RUNS", near)
    reader = make_instrument(id="cary-60", display_name="Spectrophotometer")
    facts = {"analyst": "Jenny", "nm": [280.5], "more": {"kept": "deep"}}
    first = make_run(run_id="plate-7", instrument=reader, caller_metadata=facts)
    other = make_run(run_id="plate-8", instrument=reader)
    make_run(run_id="z", instrument=make_instrument(display_name="Balance"))
    make_file("Spectrum 1.csv", run=first)
    make_file("spectrum 2.csv", run=other)
    make_file("gone.csv", run=other, deleted_at="2026-01-01T00:00Z")
    make_comment(run=other, body="Looks *odd*.")

    assert sorted(found(f"q={query}")) == run_ids


@pytest.mark.parametrize("near", [1, 3, 5_000])
@pytest.mark.parametrize("sort", ["acquired_at", "created_at", "updated_at", "run_id", "total_size_bytes"])
def test_pages_of_runs_that_many_have_the_words_of_are_whole(as_token, near, sort, monkeypatch):
    """The near runs fill some pages, and others not: each run comes once, in its order, by page and by cursor."""
    monkeypatch.setattr("runs.words.MAX_FEW_RUNS", 2)
    monkeypatch.setattr("runs.search.NEAR_RUNS", near)
    reader = make_instrument(id="b", display_name="Balance")
    for number in range(9):
        make_run(run_id=f"{'plate' if number % 3 else 'other'}-{number}", instrument=reader)
    api, address = as_token("runs:read"), f"/api/v1/instrument-runs?q=plate&sort={sort}&per_page=2"

    pages = [row["run_id"] for page in (1, 2, 3, 4) for row in api.get(f"{address}&page={page}").json()["data"]]
    behind, cursor = [], ""
    while cursor is not None:
        body = api.get(f"{address}&exact_total=false&cursor={cursor}").json()
        behind += [row["run_id"] for row in body["data"]]
        cursor = body["pagination"]["next_cursor"]

    assert pages == behind == [f"plate-{number}" for number in (8, 7, 5, 4, 2, 1)]


@pytest.mark.parametrize(("enough", "total", "is_exact"), [(1, 3, False), (5, 6, True)])
def test_of_two_words_that_many_runs_have_a_part_is_counted(as_token, enough, total, is_exact, monkeypatch):
    """At least so many: of the runs looked at for one word, those that have the other; else all are counted."""
    monkeypatch.setattr("runs.words.MAX_FEW_RUNS", 3)
    monkeypatch.setattr("runs.words.MIN_CERTAIN", enough)
    for number in range(6):
        make_run(run_id=f"plate-{number}", caller_metadata={"by": "Jenny"})
    make_run(run_id="plate-none")

    body = as_token("runs:read").get("/api/v1/instrument-runs?q=plate%20jenny&exact_total=false&per_page=4").json()

    assert (body["pagination"]["total"], body["pagination"]["total_is_exact"]) == (total, is_exact)
    assert [row["run_id"] for row in body["data"]] == ["plate-5", "plate-4", "plate-3", "plate-2"]


@pytest.mark.parametrize("sampled_of", [-1, 1_000_000], ids=["sampled", "not sampled"])
def test_of_a_rare_word_and_common_ones_the_rare_one_is_looked_for(as_token, sampled_of, monkeypatch):
    """A sample tells the common ones, however long: what few runs have is found, and the others in these alone."""
    looked_for = []
    monkeypatch.setattr("runs.words.MIN_SAMPLED_OF", sampled_of)
    monkeypatch.setattr("runs.words.count_roughly", lambda model: 1_000)
    monkeypatch.setattr("runs.words.SURELY_MANY", 3)
    monkeypatch.setattr("runs.words.MAX_FEW_RUNS", 2)
    list_some = words._list_some_runs
    monkeypatch.setattr(
        "runs.words._list_some_runs", lambda word, **of: looked_for.append(word) or list_some(word, **of)
    )
    for number in range(6):
        make_run(run_id=f"plate-{number}", caller_metadata={"technique": "spectroscopy"})
    run = make_run(run_id="plate-none", caller_metadata={"technique": "spectroscopy"})
    make_file("odd.csv", run=run)

    api = as_token("runs:read")
    both = api.get("/api/v1/instrument-runs?q=spectroscopy%20plate%20odd").json()
    common = api.get("/api/v1/instrument-runs?q=spectroscopy%20plate").json()

    assert [row["run_id"] for row in both["data"]] == ["plate-none"]
    assert common["pagination"]["total"] == 7
    some_of_each = ["spectroscopy", "plate", "odd", "spectroscopy", "plate"]
    assert looked_for == (["odd", "spectroscopy"] if sampled_of < 0 else some_of_each)


def test_more_words_than_are_looked_for_are_refused_not_passed_over(as_token):
    answers = [as_token().get(f"/api/v1/instrument-runs?q={'%20'.join(map(str, range(words)))}") for words in (8, 9)]

    assert [answer.status_code for answer in answers] == [200, 400]
    assert list(answers[1].json()["error"]["details"]["fields"]) == ["q"]


@pytest.mark.parametrize(("count", "status"), [(50, 200), (51, 400)])
def test_so_many_conditions_on_metadata_are_the_most(as_token, count, status):
    """Each looks at the metadata of every run: 1,900 of them took six seconds."""
    query = "&".join(f"metadata[key-{number}][contains]=ab" for number in range(count))

    answer = as_token().get(f"/api/v1/instrument-runs?{query}")

    assert answer.status_code == status
    if status == 400:
        assert answer.json()["error"]["details"]["fields"] == {"metadata": ["50 conditions are the most."]}
