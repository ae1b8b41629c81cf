"""What is of no instrument, or of several, and is hidden with those that it speaks of."""

import pytest

from accounts.callers import caller_for_user
from instruments.groups.models import Membership
from notifications.announcements import announce, deliver_next_announcement
from notifications.grouping import GROUPING_WINDOW
from notifications.models import Follow, NotificationKind
from runs.claims import list_claimants
from runs.models import Claim, Run
from runs.saved_views.catalogue import list_offered_views
from tests.clients import Api
from tests.factories import make_group, make_instrument, make_project, make_run, make_token, make_user, make_view
from wire.clock import now

pytestmark = pytest.mark.django_db
SECRET = "secret-reader"


@pytest.fixture
def lab():
    """One run of an instrument that a group has, and one of an instrument that everybody sees."""
    inside, reader = make_user(), make_instrument(id=SECRET, visibility="groups")
    make_group(inside, instruments=[reader])
    make_run(instrument=reader, run_id="secret-run")
    make_run(run_id="open-run")
    return {"inside": Api(user=inside), "outside": Api(user=make_user())}


def test_a_project_is_seen_by_who_sees_a_run_of_it_and_while_it_has_none(lab):
    hidden, shared, empty = make_project(name="Secret"), make_project(name="Shared"), make_project(name="Empty")
    Run.objects.filter(run_id="secret-run").update(project=hidden)
    Run.objects.filter(run_id="open-run").update(project=shared)
    make_run(instrument=Run.objects.get(run_id="secret-run").instrument, project=shared)

    def names(who):
        return [one["name"] for one in lab[who].get("/api/v1/projects").json()["data"]]

    assert (names("outside"), names("inside")) == (["Empty", "Shared"], ["Empty", "Secret", "Shared"])
    assert lab["outside"].patch(f"/api/v1/projects/{hidden.pk}", {"name": "Mine"}).status_code == 404
    assert lab["outside"].patch(f"/api/v1/projects/{empty.pk}", {"name": "Mine"}).status_code == 200


def test_the_name_of_a_hidden_project_is_not_available_and_nothing_more_is_told(lab, as_token, security_events):
    Run.objects.filter(run_id="secret-run").update(project=make_project(name="Secret Antibody"))
    open_project, bound = make_project(name="Open"), as_token(instrument_ids=[make_instrument().pk])

    refused = [
        lab["outside"].post("/api/v1/projects", {"name": "secret antibody"}),
        lab["outside"].patch(f"/api/v1/projects/{open_project.pk}", {"name": "secret antibody"}),
        bound.post("/api/v1/projects", {"name": "secret antibody"}),
    ]

    told = ("The name secret antibody is not available.", {"name": "secret antibody"})
    assert [(one.status_code, *read_refusal(one)) for one in refused] == [(409, *told)] * 3
    assert security_events()[-1] == "foreign_instrument"


def test_the_name_of_a_group_that_is_somebody_elses_is_not_available(as_admin):
    manager, mine = make_user(), make_group(name="Mine", instruments=[make_instrument()])
    Membership.objects.create(group=mine, person=manager, role="manager")
    make_group(name="Secret Group")

    refused = [
        caller.patch(f"/api/v1/groups/{mine.pk}", {"name": "secret group"})
        for caller in (Api(user=manager), as_admin())
    ]

    assert [one.status_code for one in refused] == [409, 409]
    assert read_refusal(refused[0]) == ("The name secret group is not available.", {"name": "secret group"})
    assert read_refusal(refused[1]) == ("There is a group named secret group.", {"name": "secret group"})


def read_refusal(answer):
    error = answer.json()["error"]
    return error["message"], error["details"]


def test_of_a_project_that_cannot_be_deleted_the_runs_are_counted_that_are_seen(lab, as_token):
    project = make_project()
    Run.objects.all().update(project=project)
    bound = as_token(instrument_ids=[Run.objects.get(run_id="open-run").instrument_id])

    assert bound.delete(f"/api/v1/projects/{project.pk}").json()["error"]["details"] == {"run_count": 1}


def test_a_view_that_names_what_is_hidden_is_not_offered(lab):
    owner, project = make_user(), make_project()
    Run.objects.filter(run_id="secret-run").update(project=project)
    for name, query in {
        "instrument": f"instrument_id=x&instrument_id={SECRET}",
        "project": f"project_id={project.pk}",
        "longer": f"instrument_id={SECRET}-2",
        "words": "status=failed",
    }.items():
        make_view(name=name, query=query, owner=owner, is_shared=True)

    def offered(who):
        return {view.name for view in list_offered_views(by=caller_for_user(lab[who].user))}

    assert offered("outside") == {"longer", "words"}
    assert offered("inside") == {"instrument", "project", "longer", "words"}


def test_a_message_about_a_run_goes_to_nobody_who_does_not_see_it(lab, as_token):
    ids = [str(lab[who].user.pk) for who in ("inside", "outside")]
    message = {"user_ids": ids, "message": "Done", "run": {"instrument_id": SECRET, "run_id": "secret-run"}}

    told = as_token().post("/api/v1/notifications/dispatch", message).json()

    assert (told["notified_user_ids"], told["skipped_user_ids"]) == (ids[:1], ids[1:])


def test_who_leaves_a_group_reads_no_more_of_its_instruments(lab):
    inside, other = lab["inside"], make_instrument()
    Follow.objects.create(user=inside.user, instrument_id=SECRET)
    Follow.objects.create(user=inside.user, instrument=other)
    for instrument, message in (
        (Run.objects.get(run_id="secret-run").instrument, "Secret silent."),
        (other, "Silent."),
    ):
        announce(kind=NotificationKind.WATCHER_OFFLINE, message=message, instrument=instrument, at=now())
    while deliver_next_announcement(at=now() + GROUPING_WINDOW):
        pass

    def read():
        shown = inside.get("/api/v1/notifications").json()["data"]
        return len(shown), inside.get("/api/v1/settings/notifications").json()["followed_instruments"]

    assert read() == (1, sorted([SECRET, other.pk]))
    Membership.objects.filter(person=inside.user).delete()
    assert read() == (0, [other.pk])


def test_following_others_takes_back_nothing_that_is_hidden(lab):
    outside = lab["outside"]
    Follow.objects.create(user=outside.user, instrument_id=SECRET)

    assert outside.put("/api/v1/settings/notifications", {"followed_instruments": []}).status_code == 200
    assert Follow.objects.filter(user=outside.user, instrument_id=SECRET).exists()


def test_people_who_claimed_only_what_is_hidden_are_not_offered(lab):
    claimant = lab["inside"].user
    Claim.objects.create(run=Run.objects.get(run_id="secret-run"), user=claimant)

    seen = {who: [one.pk for one in list_claimants(by=caller_for_user(lab[who].user))] for who in ("inside", "outside")}
    assert seen == {"inside": [claimant.pk], "outside": []}


def test_who_claims_a_run_is_among_the_people_at_once(lab):
    person = lab["outside"].user
    before = [one.pk for one in list_claimants(by=caller_for_user(person))]
    run = Run.objects.visible_to(caller_for_user(person))[0]
    Claim.objects.create(run=run, user=person)

    assert [one.pk for one in list_claimants(by=caller_for_user(person)) if one.pk not in before] == [person.pk]


def test_a_token_bound_to_what_is_hidden_is_not_listed(lab):
    make_token(name="open"), make_token(name="hidden", instrument_ids=[SECRET])

    def names(who):
        return {one["name"] for one in lab[who].get("/api/v1/tokens").json()["data"]}

    assert (names("outside"), names("inside")) == ({"open"}, {"open", "hidden"})
