"""Words of two letters: found in the same runs as by looking at each, by indexes where few have them."""

import unicodedata
from itertools import product

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.callers import caller_for_token
from runs import short_words
from runs.models import Run
from runs.search import RunSearch, filter_runs, search_runs
from tests.factories import make_comment, make_file, make_instrument, make_run, make_token
from tests.runs.test_plans import plan
from wire.clock import now
from wire.lists.pagination import Window

# What may stand before and behind two letters: nothing, ASCII of each kind, letters and signs beyond it, lone marks.
NEIGHBOURS = (
    "",
    "x",
    "7",
    " ",
    "_",
    "-",
    "(",
    "\t",
    "µ",
    "ß",
    "É",
    "e\u0301",
    "\u0301",
    "样",
    "°",
    "\u2013",
    "\u00a0",
    "🧪",
    "İ",
)
TEXTS = [f"{before}{pair}{behind}" for before, behind in product(NEIGHBOURS, repeat=2) for pair in ("qX", "4w")]
OTHERS = ["q x", "qqx", "xq", "w4", "q-x", "Ǫx", "q\u030cx", "\u017f4", "\u01319", "plain"]
WORDS = ("qx", "Qx", "4W", "xq", "s4", "i9", "zz", "la", "µq", "°4", "q", "-4", "%q", "q_")


@pytest.fixture
def by(db):
    """A caller; a run for each text, which has it in one of the four places or in none."""
    reader = make_instrument(id="reader-00", display_name="Reader")
    texts = [text for text in TEXTS + OTHERS if text.strip() == text and text]
    for number, text in enumerate(texts):
        is_name = number % 4 == 0 and unicodedata.normalize("NFC", text).isprintable()
        run = make_run(
            instrument=reader,
            run_id=f"{text}_{number}" if is_name else f"run {number}",
            caller_metadata={"deep": [{"value": text}], "n": 1} if number % 4 == 1 else {},
        )
        if number % 4 == 2 and "\t" not in text:
            make_file(f"{text}.csv", run=run)
        if number % 4 == 3:
            make_comment(run=run, body=text)
    return caller_for_token(make_token())


def analyze() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ANALYZE runs_run, runs_comment, files_file")


def look_at_each(word: str) -> set[str]:
    """As the ORM compares one text after the other."""
    wanted = unicodedata.normalize("NFC", word)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_indexscan = off; SET LOCAL enable_bitmapscan = off")
        cursor.execute(
            """
            WITH texts AS (
                SELECT id, run_id AS text FROM runs_run UNION ALL SELECT id, run_words(metadata) FROM runs_run
                UNION ALL SELECT run_id, filename FROM files_file WHERE deleted_at IS NULL
                UNION ALL SELECT run_id, body FROM runs_comment WHERE deleted_at IS NULL
            )
            SELECT id FROM texts WHERE strpos(upper(normalize(text COLLATE "default")), upper(%s)) > 0
            """,
            [wanted],
        )
        found = {str(run) for (run,) in cursor.fetchall()}
        cursor.execute("RESET enable_indexscan; RESET enable_bitmapscan")
    return found


@pytest.mark.parametrize("most", [0, 100_000], ids=["many texts", "few texts"])
@pytest.mark.parametrize("few_runs", [1, 10_000])
def test_every_run_with_a_short_word_is_found_and_no_other(by, monkeypatch, most, few_runs):
    monkeypatch.setattr("runs.words.MAX_FEW_RUNS", few_runs)
    monkeypatch.setattr(short_words.Texts.find, "__kwdefaults__", {"most": most})
    analyze()

    for word in WORDS:
        found = filter_runs(RunSearch(words=(word,)), by=by, at=now()).values_list("pk", flat=True)

        assert sorted(map(str, found)) == sorted(look_at_each(word)), word
    assert len(look_at_each("qx")) > len(TEXTS) / 4


@pytest.mark.parametrize("most", [0, 10_000])
def test_a_short_part_of_a_name_is_found_either_way(by, monkeypatch, most):
    monkeypatch.setattr("runs.search.MAX_SORTED_MATCHES", most)
    analyze()

    for part in (*WORDS, " 1", "n 1"):
        page = search_runs(RunSearch(text=part), window=Window(per_page=500), by=by, at=now())
        wanted = Run.objects.filter(search_key__contains=unicodedata.normalize("NFC", part).upper())

        assert [run.pk for run in page.rows] == list(
            wanted.order_by("-happened_at", "-pk").values_list("pk", flat=True)
        )
        assert page.total == len(page.rows)


BY_TRIGRAMS = (
    "runs_by_part_of_run_id",
    "runs_by_part_of_metadata",
    "files_by_part_of_name",
    "comments_by_part_of_body",
)
OF_OTHERS = ("other_names_of_runs", "other_metadata_of_runs", "other_names_of_files", "other_comments_of_run")


def test_each_place_is_asked_by_its_indexes(by):
    analyze()
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        for index in BY_TRIGRAMS:  # what other tests wrote and took back waits in them, and makes them dear
            cursor.execute("SELECT gin_clean_pending_list(%s::regclass)", [index])

    with CaptureQueriesContext(connection) as queries:
        search_runs(RunSearch(words=("qz",)), window=Window(), by=by, at=now())

    plans = "\n".join(plan(query["sql"]) for query in queries if "TABLESAMPLE" not in query["sql"])
    assert [index for index in (*BY_TRIGRAMS, *OF_OTHERS) if index not in plans] == []
