"""Links for outsiders over REST: what one makes, sees and ends, and how long it works."""

from datetime import timedelta

import pytest
from django.test import Client

from accounts.callers import caller_for_token
from accounts.models import Token
from runs.models import ShareLink
from runs.sharing.links import end_links
from tests.factories import (
    make_group,
    make_instrument,
    make_run,
    make_share_link,
    make_stored_file,
    make_token_with_text,
)
from tests.races import at_once
from wire.clock import format_timestamp, now

pytestmark = pytest.mark.django_db
API = "/api/v1"


def links_of(run):
    return f"{API}/instruments/{run.instrument_id}/runs/{run.run_id}/share-links"


def open_status(made):
    return Client().get("/" + made.json()["url"].split("/", 3)[3]).status_code


def test_a_token_makes_a_link_under_its_own_name_and_its_secret_is_told_once(as_token):
    api, run = as_token("runs:share", name="Report"), make_run()
    file = make_stored_file("a.csv", b"1,2", run=run)

    made = api.post(links_of(run), {"days": 3})

    told = made.json()
    assert (made.status_code, made["Cache-Control"], told["made_by"]) == (201, "no-store", None)
    assert told["made_by_token"] == {"id": str(api.token.pk), "name": "Report"}
    path = "/" + told["url"].split("/", 3)[3]
    assert file.filename in Client().get(path).content.decode()
    listed = api.get(links_of(run)).json()["data"]
    assert listed == [{name: value for name, value in told.items() if name != "url"} | _opened(listed[0])]
    assert path.split("/")[2] not in str(ShareLink.objects.values().get())


def _opened(row):
    assert row["open_count"] == 1
    return {"open_count": 1, "last_opened_at": row["last_opened_at"]}


def test_a_link_ends_when_it_is_asked_to_or_after_two_weeks(as_person):
    api, run, end = as_person(), make_run(), now() + timedelta(hours=1)

    chosen = api.post(links_of(run), {"expires_at": format_timestamp(end)}).json()
    usual = api.post(links_of(run), {})

    assert chosen["expires_at"] == format_timestamp(end)
    link = ShareLink.objects.get(pk=usual.json()["id"])
    assert link.expires_at - link.created_at == timedelta(days=14)


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"expires_at": "2020-01-01T00:00:00Z"}, "expires_at"),
        ({"expires_at": "2099-01-01T00:00:00Z"}, "expires_at"),
        ({"expires_at": "2099-01-01"}, "expires_at"),
        ({"expires_at": None}, "expires_at"),
        ({"days": 0}, "days"),
        ({"days": 91}, "days"),
        ({"days": "7"}, "days"),
        ({"days": True}, "days"),
    ],
)
def test_an_end_that_cannot_be_is_refused_by_name(as_person, asked, field):
    refused = as_person().post(links_of(make_run()), asked)

    assert (refused.status_code, list(refused.json()["error"]["details"]["fields"])) == (400, [field])
    assert not ShareLink.objects.exists()


@pytest.mark.parametrize(("beside", "ahead"), [({}, timedelta(days=90, hours=2)), ({"days": 7}, timedelta(days=2))])
def test_an_end_that_is_too_late_or_told_twice_is_refused_by_name(as_person, beside, ahead):
    asked = beside | {"expires_at": format_timestamp(now() + ahead)}

    refused = as_person().post(links_of(make_run()), asked)

    assert (refused.status_code, list(refused.json()["error"]["details"]["fields"])) == (400, ["expires_at"])
    assert not ShareLink.objects.exists()


def test_one_sees_and_ends_ones_own_alone_and_admins_all(as_person, as_token, as_admin):
    run, api, admin = make_run(), as_person(), as_admin()
    mine = api.post(links_of(run), {}).json()["id"]
    theirs = str(make_share_link(run=run).pk)
    tokens = as_token("runs:share").post(links_of(run), {}).json()["id"]

    seen = [[row["id"] for row in caller.get(links_of(run)).json()["data"]] for caller in (api, admin)]
    refused = [api.delete(f"{links_of(run)}/{link}").status_code for link in (theirs, tokens)]
    ended = [caller.delete(f"{links_of(run)}/{link}").status_code for caller, link in ((api, mine), (admin, tokens))]

    assert seen == [[mine], [tokens, theirs, mine]]
    assert (refused, ended) == ([404, 404], [204, 204])
    assert str(ShareLink.objects.get(revoked_at=None).pk) == theirs


def test_an_ended_link_works_no_more_and_is_not_ended_twice(as_token):
    api, run = as_token("runs:share"), make_run()
    made = api.post(links_of(run), {})
    before = open_status(made)

    statuses = [api.delete(f"{links_of(run)}/{made.json()['id']}").status_code for _ in range(2)]

    assert (before, statuses, open_status(made)) == (200, [204, 404], 404)
    assert ShareLink.objects.get().revoked_by_token == api.token
    assert api.get(links_of(run)).json()["data"] == []


@pytest.mark.parametrize("end", ["revoked_at", "expires_at"])
def test_the_end_of_a_token_is_that_of_its_links(as_token, end):
    api = as_token("runs:share")
    made = api.post(links_of(make_run()), {})
    Token.objects.update(**{end: now()})

    assert open_status(made) == 404


def test_a_link_of_another_run_is_not_ended_here(as_token):
    api, run, other = as_token("runs:share"), make_run(), make_run()
    made = api.post(links_of(run), {})

    assert api.delete(f"{links_of(other)}/{made.json()['id']}").status_code == 404
    assert open_status(made) == 200


def test_reading_and_watching_tokens_share_nothing(as_token):
    run = make_run()
    for scopes in (("runs:read", "files:read", "read"), ("runs:update", "runs:create", "files:update")):
        answers = [as_token(*scopes).send(method, links_of(run), {}) for method in ("GET", "POST")]

        assert [(one.status_code, one.json()["error"]["details"]) for one in answers] == [
            (403, {"scope": "runs:share"})
        ] * 2


def test_a_bound_token_shares_what_it_is_bound_to(as_token):
    run, other = make_run(), make_run(instrument=make_instrument())
    api = as_token("runs:share", instrument_ids=[run.instrument_id])

    assert [api.post(links_of(one), {}).status_code for one in (run, other)] == [201, 404]
    assert [api.get(links_of(one)).status_code for one in (run, other)] == [200, 404]


def test_another_group_finds_nothing_to_share_or_to_end(as_person):
    instrument = make_instrument(visibility="groups")
    run, member, stranger = make_run(instrument=instrument), as_person(), as_person()
    make_group(member.user, instruments=[instrument])
    link = member.post(links_of(run), {}).json()["id"]

    asked = [("GET", links_of(run)), ("POST", links_of(run)), ("DELETE", f"{links_of(run)}/{link}")]

    assert [stranger.send(method, path, {}).status_code for method, path in asked] == [404] * 3
    assert member.get(links_of(run)).json()["pagination"]["total"] == 1


def test_a_link_of_who_left_the_group_leads_nowhere(as_person):
    instrument = make_instrument(visibility="groups")
    run, member = make_run(instrument=instrument), as_person()
    group = make_group(member.user, instruments=[instrument])
    made = member.post(links_of(run), {})
    before = open_status(made)

    group.memberships.all().delete()

    assert (before, open_status(made)) == (200, 404)


def test_a_deleted_run_is_not_shared_but_its_links_are_ended(as_token):
    api, run = as_token("runs:share", "runs:delete"), make_run()
    link = api.post(links_of(run), {}).json()["id"]
    api.delete(links_of(run).removesuffix("/share-links"))

    refused = api.post(links_of(run), {})

    assert (refused.status_code, list(refused.json()["error"]["details"])) == (409, ["deleted_at"])
    assert api.delete(f"{links_of(run)}/{link}").status_code == 204


def test_a_link_that_is_asked_for_again_under_its_key_is_the_same(as_token):
    api, run = as_token("runs:share"), make_run()

    answers = [api.send("POST", links_of(run), {"days": 1}, Idempotency_Key="one").json() for _ in range(2)]

    assert answers[0] == answers[1]
    assert ShareLink.objects.count() == 1


def test_pages_and_cursors_of_links(as_token):
    api, run = as_token("runs:share"), make_run()
    made = [api.post(links_of(run), {}).json()["id"] for _ in range(5)]

    first = api.get(f"{links_of(run)}?per_page=2&cursor=").json()
    rest = api.get(f"{links_of(run)}?per_page=10&cursor={first['pagination']['next_cursor']}").json()

    assert [row["id"] for row in first["data"] + rest["data"]] == made[::-1]


def test_the_history_of_the_run_names_the_token(as_token):
    api, run = as_token("runs:share", "runs:read", name="Report"), make_run()
    api.delete(f"{links_of(run)}/{api.post(links_of(run), {}).json()['id']}")

    rows = api.get(f"{links_of(run).removesuffix('/share-links')}/history").json()["data"]

    assert [(row["actor"]["name"], row["action"]) for row in rows if row["object"]["kind"] == "sharelink"] == [
        ("Report", "revoked"),
        ("Report", "created"),
    ]


def test_the_page_of_admins_names_the_token(as_token, as_admin, client):
    as_token("runs:share", name="Report of Mondays").post(links_of(make_run()), {})
    client.force_login(as_admin().user)

    assert "Report of Mondays" in client.get("/settings/shared-links").content.decode()


def test_links_of_runs_of_one_name_are_told_apart_by_their_instruments(as_admin, as_token, client):
    for name in ("Plate reader of the yeast group", "Plate reader, bench 3"):
        run = make_run(run_id="plate_1", instrument=make_instrument(display_name=name))
        as_token("runs:share").post(links_of(run), {})
    client.force_login(as_admin().user)

    page = client.get("/settings/shared-links").content.decode()

    assert '<span class="sub">Plate reader of the yeast group</span>' in page
    assert '<span class="sub">Plate reader, bench 3</span>' in page


def test_a_list_of_more_links_than_are_shown_says_so(as_admin, as_token, client, monkeypatch):
    monkeypatch.setattr("dashboard.sharing.pages.MAX_SHOWN", 1)
    run = make_run()
    as_token("runs:share").post(links_of(run), {})
    client.force_login(as_admin().user)

    alone = client.get("/settings/shared-links").content.decode()
    as_token("runs:share").post(links_of(run), {})
    more = client.get("/settings/shared-links").content.decode()

    assert "The newest 1." not in alone
    assert "The newest 1." in more


def test_a_wrong_number_of_days_is_told_beside_its_field(as_admin, client):
    run = make_run()
    client.force_login(as_admin().user)

    answer = client.post(f"/instruments/{run.instrument_id}/runs/{run.run_id}/share", {"days": "91"})

    assert answer.status_code == 400
    assert ">1 to 90 days are possible.<" in "".join(line.strip() for line in answer.content.decode().splitlines())


@pytest.mark.django_db(transaction=True)
def test_of_several_who_end_a_link_at_once_one_ended_it():
    token, _ = make_token_with_text("runs:share")
    links = [make_share_link(made_by=None, made_by_token=token) for _ in range(5)]

    ended = [
        at_once(4, lambda _, link=link: end_links([link.pk], by=caller_for_token(token), at=now())) for link in links
    ]

    assert [sorted(counts) for counts in ended] == [[0, 0, 0, 1]] * 5
