"""Groups: whoever is in none of an instrument's groups does not see that it, or anything beneath it, exists."""

import pytest

from accounts.callers import caller_for_user
from accounts.sight import keep_those_who_see
from instruments.groups.models import Group, Membership
from instruments.models import Instrument
from notifications.inbox import store_notifications
from notifications.models import NotificationKind
from notifications.senders import SERVICE_SENDER
from runs.models import Run
from tests.clients import Api
from tests.factories import (
    make_comment,
    make_file,
    make_group,
    make_instrument,
    make_run,
    make_user,
)
from wire.clock import now

pytestmark = pytest.mark.django_db
SECRET = "secret-reader"
PLANTED = (SECRET, "Secret reader", "secret-run", "secret-tag", "secret.csv")


@pytest.fixture
def lab():
    """Two groups; what is planted for one of them has `secret` in its names."""
    inside, outside, manager = make_user(), make_user(), make_user()
    reader, open_one = make_instrument(id=SECRET, display_name="Secret reader", visibility="groups"), make_instrument()
    group = make_group(inside, instruments=[reader], name="Proteins")
    Membership.objects.create(group=group, person=manager, role="manager")
    make_group(outside, instruments=[open_one], name="Lasers")
    run = make_run(instrument=reader, run_id="secret-run", tags=["secret-tag"], caller_metadata={"secret": "key"})
    make_file("secret.csv", run=run, status="uploaded")
    make_comment(run=run, user=inside)
    make_run(instrument=open_one, run_id="open-run")
    return {"inside": Api(user=inside), "outside": Api(user=outside), "manager": Api(user=manager), "group": group}


LISTS = [
    "/instruments",
    "/instrument-runs",
    "/instrument-runs?q=secret",
    "/instrument-runs?search=secret",
    "/changes?limit=100",
    "/people",
    "/datasets",
    "/history",
    "/watchers",
]


@pytest.mark.parametrize("path", LISTS)
def test_lists_and_their_totals_leave_out_what_is_another_groups(lab, path):
    outside = lab["outside"].get(f"/api/v1{path}")

    assert SECRET not in outside.content.decode()
    if path.startswith("/instrument-runs") and "=" not in path:
        assert (
            outside.json()["pagination"]["total"],
            lab["inside"].get(f"/api/v1{path}").json()["pagination"]["total"],
        ) == (1, 2)


BENEATH = ["", "/runs", "/filter-options", "/runs/secret-run", "/runs/secret-run/files", "/runs/secret-run/comments"]


@pytest.mark.parametrize("path", BENEATH)
def test_what_is_beneath_it_is_not_there(lab, path):
    address = f"/api/v1/instruments/{SECRET}{path}"

    assert lab["outside"].get(address).status_code == 404
    assert [lab[who].get(address).status_code for who in ("inside", "manager")] == [200, 200]
    assert Api(user=make_user(is_admin=True)).get(address).status_code == 200


@pytest.mark.parametrize("page", ["/", "/runs", "/instruments", "/search?q=secret", "/watchers", "/inbox"])
def test_pages_do_not_name_it(lab, client, page):
    client.force_login(make_user())

    text = client.get(page).content.decode()

    assert [name for name in PLANTED if name in text] == []


def test_visible_to_everyone_again_it_is_there(lab):
    admin = Api(user=make_user(is_admin=True))

    assert admin.patch(f"/api/v1/instruments/{SECRET}", {"visibility": "everyone"}).json()["visibility"] == "everyone"
    assert lab["outside"].get(f"/api/v1/instruments/{SECRET}").status_code == 200


def test_a_token_keeps_its_own_bounds(lab, as_token):
    assert as_token("instruments:read").get(f"/api/v1/instruments/{SECRET}").status_code == 200


def test_a_manager_changes_the_instruments_of_the_group_and_no_others(lab):
    change = {"display_name": "Reader of proteins"}

    assert lab["manager"].patch(f"/api/v1/instruments/{SECRET}", change).status_code == 200
    assert lab["inside"].patch(f"/api/v1/instruments/{SECRET}", change).status_code == 403
    other = make_instrument()
    assert lab["manager"].patch(f"/api/v1/instruments/{other.pk}", change).status_code == 403


def test_a_manager_shows_everybody_what_is_of_ones_own_groups_alone(lab):
    """What another group has too would be shown with it."""
    other = make_group(make_user(), instruments=[Instrument.objects.get(pk=SECRET)], name="Antibodies")
    address, everyone = f"/api/v1/instruments/{SECRET}", {"visibility": "everyone"}

    refused = lab["manager"].patch(address, everyone)

    assert (refused.status_code, "Antibodies" in refused.content.decode()) == (403, False)
    assert lab["outside"].get(address).status_code == 404
    assert lab["manager"].patch(address, {"visibility": "groups", "display_name": "Mine"}).status_code == 200
    Membership.objects.create(group=other, person=lab["manager"].user, role="manager")
    assert lab["manager"].patch(address, everyone).status_code == 200


def test_groups_are_made_changed_and_deleted_by_admins():
    admin, ines, reader = Api(user=make_user(is_admin=True)), make_user(), make_instrument()
    body = {
        "name": "Proteins",
        "members": [{"person_id": str(ines.pk), "role": "manager"}],
        "instrument_ids": [reader.pk],
    }

    made = admin.post("/api/v1/groups", body)
    assert (made.status_code, made.json()["instrument_ids"]) == (201, [reader.pk])
    assert [(one["person_id"], one["role"]) for one in made.json()["members"]] == [(str(ines.pk), "manager")]
    assert admin.get("/api/v1/groups").json()["data"] == [made.json()]
    assert admin.post("/api/v1/groups", {"name": "PROTEINS"}).status_code == 409

    address = f"/api/v1/groups/{made.json()['id']}"
    assert admin.patch(address, {"members": []}).json()["members"] == []
    assert admin.patch(address, {"name": "Lasers", "instrument_ids": []}).json()["name"] == "Lasers"
    assert (admin.delete(address).status_code, admin.get(address).status_code) == (204, 404)


def test_a_manager_says_who_is_in_the_group_but_not_what_it_has(lab):
    address, ines = f"/api/v1/groups/{lab['group'].pk}", make_user()
    members = [{"person_id": str(one.person_id), "role": one.role} for one in lab["group"].memberships.all()]

    changed = lab["manager"].patch(address, {"members": [*members, {"person_id": str(ines.pk), "role": "member"}]})
    assert (changed.status_code, len(changed.json()["members"])) == (200, 3)
    assert lab["manager"].patch(address, {"instrument_ids": [make_instrument().pk]}).status_code == 403
    assert (
        lab["manager"].delete(address).status_code,
        lab["manager"].post("/api/v1/groups", {"name": "Mine"}).status_code,
    ) == (403, 403)
    other = Group.objects.get(name="Lasers")
    assert lab["manager"].get(f"/api/v1/groups/{other.pk}").status_code == 404
    assert lab["inside"].get(address).status_code == 403


def test_members_are_taken_as_they_are_answered_or_by_id():
    admin, ines = Api(user=make_user(is_admin=True)), make_user(display_name="Ines Rocha")

    made = admin.post("/api/v1/groups", {"name": "a", "members": [{"person": str(ines.pk), "role": "manager"}]})
    members = made.json()["members"]
    again = admin.patch(f"/api/v1/groups/{made.json()['id']}", {"members": members})

    assert made.status_code == 201
    assert members[0]["person"] == {"id": str(ines.pk), "display_name": "Ines Rocha", "initials": "IR"}
    assert again.json()["members"] == members


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": ""},
        {"name": "a", "members": [{"role": "member"}]},
        {"name": "a", "members": [{"person": {"name": "x"}}]},
        {"name": "a", "members": [{"person": []}]},
        {"name": "a", "members": [{"person_id": "00000000-0000-0000-0000-000000000000", "role": "member"}]},
        {"name": "a", "members": [{"person_id": "x", "role": "member"}]},
        {"name": "a", "members": "x"},
        {"name": "a", "instrument_ids": ["nowhere"]},
        {"name": "a\0"},
    ],
)
def test_a_bad_group_is_refused_whole(body):
    answer = Api(user=make_user(is_admin=True)).post("/api/v1/groups", body)

    assert (answer.status_code, Group.objects.count()) == (400, 0)


def test_tokens_have_no_business_with_groups(as_token):
    assert as_token().get("/api/v1/groups").status_code == 401


def test_where_nothing_is_hidden_nobody_is_bound():
    person = make_user()
    make_group(person, instruments=[make_instrument()])

    assert caller_for_user(person).instrument_ids is None


def test_who_leaves_a_group_sees_nothing_from_the_next_request_on(lab):
    Membership.objects.filter(role="member").delete()

    assert lab["inside"].get(f"/api/v1/instruments/{SECRET}").status_code == 404


def test_nobody_is_told_what_they_may_not_see(lab):
    run = Run.objects.get(run_id="secret-run")
    people = {name: lab[name].user.pk for name in ("inside", "outside", "manager")}
    admin = make_user(is_admin=True)

    assert keep_those_who_see([*people.values(), admin.pk], run.instrument_id) == {
        people["inside"],
        people["manager"],
        admin.pk,
    }


def test_the_inbox_leaves_out_what_is_hidden_since(lab):
    outside = lab["outside"].user
    told = {"recipients": {outside.pk}, "kind": NotificationKind.GENERIC, "sender": SERVICE_SENDER, "at": now()}
    store_notifications(**told, message="secret-run failed", run_id=Run.objects.get(run_id="secret-run").pk)
    store_notifications(**told, message="The agent has a new version.", run_id=None)

    shown = lab["outside"].get("/api/v1/notifications").json()

    assert [one["message"] for one in shown["data"]] == ["The agent has a new version."]
