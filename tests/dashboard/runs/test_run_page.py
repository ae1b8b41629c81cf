"""The page of a run."""

import re
from datetime import timedelta
from urllib.parse import quote

import pytest

from processing.models import ProcessingJob
from runs.models import Claim, Comment
from tests.factories import make_comment, make_file, make_instrument, make_run, make_token, make_user, make_watcher
from tests.markup import flat
from wire.clock import now

pytestmark = pytest.mark.django_db


@pytest.fixture
def ines(client):
    person = make_user(display_name="Ines Okafor")
    client.force_login(person)
    return person


@pytest.fixture
def page(client, ines):
    def of(run, query=""):
        response = client.get(f"{address(run)}{query}")
        assert response.status_code == 200, response.content
        return flat(response)

    return of


def address(run):
    return f"/instruments/{run.instrument_id}/runs/{quote(run.run_id, safe='')}"


def test_it_tells_the_status_with_its_reason(page):
    run = make_run()
    make_file("a.jdx", run=run, status="failed", error_message="It ends after 7,020 points.")
    make_file("b.jdx", run=run, status="completed")

    shown = page(run)

    assert "1 of 2 files could not be read." in shown
    assert "It ends after 7,020 points." in shown


def test_a_failed_file_without_a_reason_says_so(page):
    run = make_run()
    make_file("472-0016_1.txt", run=run, status="failed")

    shown = page(run)

    assert "It could not be read, and no reason was given." in shown
    assert "Its file could not be read: the list below says why." in shown
    assert "of a kind that can be drawn" not in shown


def test_a_comment_that_names_several_people_tells_that_it_names_none(client, page):
    run = make_run()
    make_user(display_name="Ines Ruiz")

    client.post(f"{address(run)}/comments", {"body": "@Ines Okafor, look"})

    told = page(run)
    assert "@ines names nobody, because 2 people are called that." in told
    assert "Edit the comment: @&quot;Ines Okafor&quot; or @&quot;Ines Ruiz&quot;." in told
    client.post(f"{address(run)}/comments", {"body": '@"Ines Okafor", look'})
    assert "names nobody" not in page(run)


def test_an_unknown_run_is_not_found(client, ines):
    instrument = make_instrument()

    assert client.get(f"/instruments/{instrument.pk}/runs/nothing").status_code == 404


def test_a_run_of_another_instrument_is_not_found(client, ines):
    run = make_run()

    assert client.get(f"/instruments/{make_instrument().pk}/runs/{run.run_id}").status_code == 404


def test_metadata_leads_to_the_runs_that_share_it(page):
    run = make_run(
        caller_metadata={"wavelength_nm": 280, "samples": ["A", "B"], "nested": {"a": 1}, "odd key": "x", "dark": True}
    )

    shown = page(run)

    assert f'href="/runs?metadata.wavelength_nm=280&amp;instrument_id={run.instrument_id}"' in shown
    assert "metadata.samples=A&amp;" in shown
    assert "metadata.samples=B&amp;" in shown
    assert "metadata.dark=true&amp;" in shown
    assert "metadata.nested" not in shown
    assert "metadata.odd" not in shown
    assert "{&quot;a&quot;: 1}" in shown


def test_it_leads_to_the_runs_before_and_after(page):
    neo = make_instrument()
    runs = [make_run(instrument=neo, run_id=name, acquired_at="2026-01-01T10:00Z") for name in ("a", "b", "c")]
    make_run(acquired_at="2026-01-01T10:00Z")
    make_run(instrument=neo, acquired_at="2026-01-01T10:00Z", deleted_at=now(), deleted_by=make_user())

    first, middle = page(runs[0]), page(runs[1])

    assert f'href="{address(runs[0])}" rel="prev"' in middle
    assert f'href="{address(runs[2])}" rel="next"' in middle
    assert 'rel="prev" aria-label="Earlier run"' not in first


def test_a_deleted_run_can_be_read_and_restored(page):
    run = make_run(deleted_at=now(), deleted_by=make_user(display_name="Tomáš Vlček"))

    shown = page(run)

    assert "Tomáš Vlček deleted this run" in shown
    assert 'value="restore"' in shown
    assert "Write a comment" not in shown
    assert 'value="delete"' not in shown


def test_claiming_is_offered_and_taken_back(page, client, ines):
    run = make_run()

    assert 'value="claim">' in page(run)

    client.post("/runs/selection", {"do": "claim", "run": f"{run.instrument_id}/{run.run_id}", "next": address(run)})

    assert 'value="unclaim">' in page(run)
    assert Claim.objects.get(run=run).user == ines


def test_comments_are_shown_as_markdown_without_its_dangers(page):
    run = make_run()
    make_comment(
        run=run, body="**Bold** <script>alert(1)</script> ![x](https://evil.example/a.png) [y](javascript:alert(1))"
    )
    make_comment(run=run, body="By a script.", token=make_token(name="qc-bot"))

    shown = page(run)

    assert "<strong>Bold</strong>" in shown
    assert "&lt;script&gt;alert(1)" in shown
    assert "<img src=" not in shown
    assert 'href="javascript:' not in shown
    assert "<b>qc-bot</b><span>token</span>" in shown


def test_a_comment_is_written_edited_and_deleted(client, ines):
    run = make_run()

    answer = client.post(f"{address(run)}/comments", {"body": "Lamp replaced."})
    comment = Comment.objects.get()
    edited = client.post(f"{address(run)}/comments/{comment.pk}", {"body": "Lamp replaced at 15:20."})

    assert answer["Location"] == f"{address(run)}#comment-{comment.pk}"
    assert edited["Location"] == f"{address(run)}#comment-{comment.pk}"
    comment.refresh_from_db()
    assert (comment.body, comment.user) == ("Lamp replaced at 15:20.", ines)

    client.post(f"{address(run)}/comments/{comment.pk}", {"do": "delete"})

    comment.refresh_from_db()
    assert comment.deleted_at is not None


def version_in(page):
    return re.search(r'name="version" value="([^"]+)"', page)[1]


def test_an_edit_in_another_tab_is_not_written_over_unseen(client, ines):
    run = make_run()
    comment = make_comment(run=run, user=ines, body="as it was")
    form, url = f"{address(run)}?edit={comment.pk}", f"{address(run)}/comments/{comment.pk}"
    first, second = (version_in(client.get(form).content.decode()) for _ in range(2))

    assert client.post(url, {"body": "from one tab", "version": first}).status_code == 302
    refused = client.post(url, {"body": "from the other", "version": second})

    page = refused.content.decode()
    assert refused.status_code == 400
    assert "It was changed since" in page
    assert ">from the other</textarea>" in page
    assert client.post(url, {"body": "from the other", "version": version_in(page)}).status_code == 302
    comment.refresh_from_db()
    assert comment.body == "from the other"


def test_only_the_author_is_offered_to_change_a_comment(page, client, ines):
    run = make_run()
    theirs, mine = make_comment(run=run), make_comment(run=run, user=ines)

    shown, form = page(run), page(run, f"?edit={mine.pk}")

    assert f"?edit={mine.pk}" in shown
    assert f"?edit={theirs.pk}" not in shown
    assert "Delete for good" in form
    assert "Delete for good" not in page(run, f"?edit={theirs.pk}")
    assert client.post(f"{address(run)}/comments/{theirs.pk}", {"body": "x"}).status_code == 403


def test_many_comments_come_in_pages_the_last_one_first(page):
    run, author, first = make_run(), make_user(), now() - timedelta(hours=1)
    for number in range(101):
        make_comment(run=run, user=author, body=f"remark {number}.", created_at=first + timedelta(seconds=number))

    assert "remark 100." in page(run)
    assert "remark 99." not in page(run)
    assert "remark 99." in page(run, "?comments=1")


def test_the_history_tells_who_did_what(page, as_person, as_token):
    watcher = make_watcher(hostname="CARY60-BENCH3")
    run = make_run(instrument=watcher.instrument, watcher=watcher)
    make_file(run=run, status="completed")
    as_person(display_name="Tomáš Vlček").post(f"/api/v1{address(run)}/comments", {"body": "Lamp replaced."})
    as_person(display_name="Priya Raman").put(f"/api/v1{address(run)}/attributions/me")
    as_token(name="evaluation").patch(f"/api/v1{address(run)}", {"metadata": {"buffer": "PBS"}})

    shown = page(run)

    for line in (
        "CARY60-BENCH3 reported it",
        "1 file arrived",
        "1 file read",
        "Tomáš Vlček commented",
        "Priya Raman claimed it",
        "evaluation set buffer",
    ):
        assert line in shown


def test_the_page_asks_few_questions_however_much_a_run_holds(client, ines, page, django_assert_num_queries):
    run = make_run()
    for _ in range(30):
        make_file(run=run, status="completed")
        make_comment(run=run)
        Claim.objects.create(run=run, user=make_user())
    page(run)

    with django_assert_num_queries(29):
        client.get(address(run))


def test_a_run_that_is_read_says_so_and_what_is_kept_beside_it(page):
    run = make_run()
    make_file("fid", run=run, status="completed")
    for name in ("audit.txt", "pulse.txt"):
        make_file(name, run=run, status="uploaded")

    shown = page(run)

    assert "2 files are kept as they are." in shown
    assert 'data-status="completed"' in shown.partition('id="facts"')[2].partition("</div>")[0]


def test_a_run_of_which_files_still_wait_is_not_called_read(page):
    run = make_run()
    make_file("fid", run=run, status="completed")
    ProcessingJob.objects.create(file=make_file("audit.txt", run=run, status="uploaded"))

    shown = page(run)

    assert "1 of 2 files read." in shown
    assert "kept as" not in shown


def test_the_bar_of_picked_files_can_say_that_no_action_fits(page):
    shown = page(make_file("a.csv", status="completed").run)

    assert '<span class="hint none-fits" hidden>No action fits all of them</span>' in shown
