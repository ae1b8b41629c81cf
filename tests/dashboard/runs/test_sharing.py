"""Links by which somebody without an account looks at one run."""

import re
from datetime import timedelta

import pytest
from django.test import Client

from instruments.models import Instrument
from runs.models import ShareLink
from tests.factories import (
    make_group,
    make_instrument,
    make_run,
    make_share_link,
    make_stored_file,
    make_token,
    make_user,
)
from tests.markup import flat
from wire.clock import now

pytestmark = pytest.mark.django_db


def url(run):
    return f"/instruments/{run.instrument_id}/runs/{run.run_id}"


@pytest.fixture
def ines(client):
    client.user = make_user(display_name="Inès Moreau")
    client.force_login(client.user)
    return client


def share(client, run, days="14"):
    page = client.post(f"{url(run)}/share", {"days": days}).content.decode()
    return re.search(r"/shared/[\w-]{43}/", page)[0]


def test_a_link_shows_the_run_its_facts_and_its_files_to_whoever_has_it(ines):
    run = make_run(caller_metadata={"operator": "Ada"}, instrument=make_instrument(display_name="Cary 60"))
    file = make_stored_file("a.csv", b"1,2", run=run)

    link, stranger = share(ines, run), Client()
    page = stranger.get(link).content.decode()

    assert [text in page for text in (run.run_id, "Cary 60", "operator", "Ada", "a.csv")] == [True] * 5
    away = stranger.get(f"{link}files/{file.pk}")
    assert (away.status_code, "/objects/" in away["Location"]) == (302, True)


def test_who_sends_something_to_a_link_is_told_that_it_is_only_read(ines):
    run = make_run()
    file = make_stored_file("a.csv", b"1,2", run=run)
    link, stranger = share(ines, run), Client(enforce_csrf_checks=True)

    answers = [stranger.post(address) for address in (link, f"{link}files/{file.pk}")]

    assert [(answer.status_code, answer["Allow"]) for answer in answers] == [(405, "GET, HEAD")] * 2


def test_an_outsider_reads_metadata_as_on_the_page_of_the_run(ines):
    run = make_run(caller_metadata={"plates": ["P-1", "P-2"], "reviewed": True, "site": {"room": 2}})

    page = flat(Client().get(share(ines, run)))

    shown = re.findall(r'<dd class="any">(.*?)</dd>', page)
    assert shown == ["P-1, P-2", "true", "{&quot;room&quot;: 2}"]


def test_the_last_page_of_files_leads_to_no_further_one(ines, monkeypatch):
    monkeypatch.setattr("dashboard.sharing.shared.PER_PAGE", 2)
    run = make_run()
    for number in range(3):
        make_stored_file(f"{number}.csv", run=run)
    link, stranger = share(ines, run), Client()

    pages = [stranger.get(f"{link}?page={number}").content.decode() for number in (1, 2, 9)]

    assert ['rel="next"' in page for page in pages] == [True, False, False]
    assert ['rel="prev"' in page for page in pages] == [False, True, True]
    assert "Nothing is stored yet" not in pages[2]


def test_the_secret_is_shown_once_and_kept_nowhere(ines):
    run = make_run()

    link = share(ines, run)

    secret = link.split("/")[2]
    assert secret not in str(ShareLink.objects.values().get())
    assert secret not in ines.get(f"{url(run)}/share").content.decode()


def test_it_is_kept_by_no_cache_found_by_no_search_and_told_to_nobody(ines):
    answer = Client().get(share(ines, make_run()))

    assert "no-store" in answer["Cache-Control"]
    assert (answer["X-Robots-Tag"], answer["Referrer-Policy"]) == ("noindex, nofollow", "no-referrer")


def test_openings_are_counted_for_whoever_made_it(ines):
    run = make_run()
    link = share(ines, run)

    [Client().get(link) for _ in range(2)]

    assert ShareLink.objects.get().open_count == 2
    assert "2 times" in " ".join(ines.get(f"{url(run)}/share").content.decode().split())


@pytest.mark.parametrize(
    "end",
    [
        lambda link: ShareLink.objects.update(created_at=now() - timedelta(days=3), expires_at=now()),
        lambda link: ShareLink.objects.update(revoked_at=now(), revoked_by=link.made_by),
        lambda link: type(link.run).objects.update(deleted_at=now(), deleted_by=link.made_by),
        lambda link: type(link.made_by).objects.update(is_active=False),
        lambda link: Instrument.objects.update(visibility="groups"),
    ],
    ids=["ended", "revoked", "deleted run", "maker is gone", "maker sees it no longer"],
)
def test_a_link_that_ended_looks_like_one_that_never_was(ines, end):
    run = make_run()
    file, link = make_stored_file("a.csv", run=run), share(ines, run)
    end(ShareLink.objects.get())

    answers = [Client().get(path) for path in (link, f"{link}files/{file.pk}", f"/shared/{'x' * 43}/")]

    assert [answer.status_code for answer in answers] == [404] * 3
    assert answers[0].content == answers[1].content == answers[2].content
    assert run.run_id not in answers[0].content.decode()


def test_it_leads_to_no_file_of_another_run(ines):
    other = make_stored_file("b.csv")

    assert Client().get(f"{share(ines, make_run())}files/{other.pk}").status_code == 404


def test_guesses_are_limited_as_those_of_tokens_are(settings, ines):
    stranger = Client(REMOTE_ADDR="198.51.100.7")

    statuses = [stranger.get(f"/shared/{number}/").status_code for number in range(200)]

    assert set(statuses) == {404, 429}


@pytest.mark.parametrize("days", ["0", "91", "-1", "1.5", "", "x"])
def test_it_ends_within_ninety_days(ines, days):
    run = make_run()

    assert ines.post(f"{url(run)}/share", {"days": days}).status_code == 400
    assert not ShareLink.objects.exists()


def test_whoever_made_it_ends_it_and_others_do_not(ines, client):
    run, theirs = make_run(), make_share_link()
    share(ines, run)
    mine = ShareLink.objects.get(run=run)

    ines.post(f"{url(run)}/share", {"do": "end", "link": [str(mine.pk), str(theirs.pk)]})

    assert [ShareLink.objects.get(pk=one.pk).revoked_at is None for one in (mine, theirs)] == [False, True]


def test_admins_see_and_end_all_of_them(client):
    link = make_share_link()
    client.force_login(make_user(is_admin=True))
    assert link.run.run_id in client.get("/settings/shared-links").content.decode()

    client.post("/settings/shared-links", {"link": str(link.pk)})

    assert ShareLink.objects.get().revoked_at is not None
    assert "No link is open" in client.get("/settings/shared-links").content.decode()


def test_who_does_not_see_a_run_shares_nothing(ines):
    run = make_run(instrument=make_instrument(visibility="groups"))
    make_group(make_user())

    assert ines.post(f"{url(run)}/share", {"days": "1"}).status_code == 404


def test_the_history_of_the_run_tells_it(ines):
    run = make_run()
    share(ines, run)

    assert "Inès Moreau made a link for outsiders" in ines.get(f"{url(run)}/history").content.decode()


def test_share_links(refused_by):
    link = make_share_link()

    refused_by("one_share_link_per_digest", lambda: make_share_link(digest=link.digest))
    refused_by("share_link_digest_is_hex", lambda: make_share_link(digest="f"))
    refused_by("share_link_ends_in_time", lambda: make_share_link(expires_at=now() + timedelta(days=91)))
    refused_by("share_link_ends_in_time", lambda: make_share_link(expires_at=now() - timedelta(days=1)))
    refused_by("share_link_has_one_maker", lambda: make_share_link(made_by_token=None))
    refused_by("share_link_is_revoked_by_one", lambda: make_share_link(revoked_at=now()))
    both = {"revoked_by": make_user(), "revoked_by_token": make_token()}
    refused_by("share_link_is_revoked_by_one", lambda: make_share_link(revoked_at=now(), **both))
