"""Who is named in a comment hears of it: once, and only who may see the run."""

import pytest

from accounts.callers import caller_for_token, caller_for_user
from notifications.announcements import deliver_next_announcement
from notifications.models import Notification, Preference
from runs.comments.discussion import add_comment, edit_comment
from runs.models import Claim
from tests.factories import make_group, make_instrument, make_run, make_token, make_user
from wire.clock import now

pytestmark = pytest.mark.django_db


def deliver():
    while deliver_next_announcement(at=now()):
        pass
    return sorted(Notification.objects.values_list("recipient__display_name", "kind"))


@pytest.fixture
def anna():
    return make_user(display_name="Anna")


def say(run, body, by):
    return add_comment(instrument=run.instrument_id, run_id=run.run_id, body=body, by=by, at=now())


def test_who_is_named_hears_of_it_and_nobody_else(anna):
    make_user(display_name="Bob")
    run = make_run(run_id="r1")

    say(run, "Please look, @Anna.", caller_for_user(make_user(display_name="Eve")))

    assert deliver() == [("Anna", "mention")]
    assert Notification.objects.get().message == "Eve mentioned you on r1: Please look, @Anna."


def test_a_token_names_people_too(anna):
    say(make_run(), "@Anna", caller_for_token(make_token("runs:comment", name="nightly")))

    assert deliver() == [("Anna", "mention")]


def test_nobody_hears_twice_of_one_comment(anna):
    run = make_run()
    Claim.objects.create(run=run, user=anna)
    Claim.objects.create(run=run, user=make_user(display_name="Bob"))

    say(run, "@Anna, this is odd", caller_for_user(make_user()))

    assert deliver() == [("Anna", "mention"), ("Bob", "comment")]


def test_the_writer_does_not_hear_of_themselves(anna):
    say(make_run(), "@Anna was here", caller_for_user(anna))

    assert deliver() == []


def test_an_edit_tells_those_alone_whom_it_adds(anna):
    bob, run, eve = make_user(display_name="Bob"), make_run(), caller_for_user(make_user())
    comment = say(run, "@Anna", eve)
    deliver()
    Notification.objects.all().delete()
    names = {"instrument": run.instrument_id, "run_id": run.run_id, "by": eve, "at": now()}

    edit_comment(comment.pk, body="nobody", **names)
    edit_comment(comment.pk, body="@Anna and @Bob", **names)

    assert bob.is_active
    assert deliver() == [("Bob", "mention")]


def test_who_may_not_see_the_run_hears_nothing_of_it(anna):
    inside, hidden = make_user(display_name="Inside"), make_instrument(visibility="groups")
    make_group(inside, instruments=[hidden])

    say(make_run(instrument=hidden), "@Anna @Inside", caller_for_user(make_user(is_admin=True)))

    assert deliver() == [("Inside", "mention")]


def test_who_lost_sight_of_it_before_the_delivery_hears_nothing(anna):
    instrument = make_instrument()
    say(make_run(instrument=instrument), "@Anna", caller_for_user(make_user()))
    instrument.visibility = "groups"
    instrument.save()

    assert deliver() == []


def test_mentions_go_by_their_own_preference(anna):
    Preference.objects.create(user=anna, kind="mention", in_app=False, chat=False)
    say(make_run(), "@Anna", caller_for_user(make_user()))

    deliver()

    assert not Notification.objects.get().in_app


def test_rest_and_mcp_name_people_by_the_same_rule(as_token, anna):
    make_run(instrument=make_instrument(id="reader"), run_id="7")

    answer = as_token("runs:comment").post("/api/v1/instruments/reader/runs/7/comments", {"body": '@"Anna"'})

    assert answer.status_code == 201
    assert deliver() == [("Anna", "mention")]
