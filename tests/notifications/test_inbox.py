import pytest

from notifications.inbox import store_notifications
from notifications.models import CHOSEN_KINDS, Follow, Notification, NotificationKind
from notifications.senders import SERVICE_SENDER
from tests.factories import make_instrument, make_user
from wire.clock import now

INBOX = "/api/v1/notifications"
SETTINGS = "/api/v1/settings/notifications"


def tell(user, message: str, kind: NotificationKind = NotificationKind.GENERIC) -> None:
    store_notifications(recipients=[user.pk], kind=kind, message=message, sender=SERVICE_SENDER, run_id=None, at=now())


def test_the_newest_comes_first_with_the_number_unread(as_person):
    ada = as_person()
    tell(ada.user, "first")
    tell(ada.user, "second")

    answer = ada.get(INBOX).json()

    assert [row["message"] for row in answer["data"]] == ["second", "first"]
    assert answer["unread_count"] == 2
    assert answer["pagination"] == {"page": 1, "per_page": 20, "total": 2, "total_pages": 1}


def test_others_messages_are_neither_shown_nor_marked(as_person):
    ada, bob = as_person(), as_person()
    tell(bob.user, "for bob")
    theirs = str(Notification.objects.get().pk)

    answer = ada.post(f"{INBOX}/read", {"ids": [theirs]})

    assert (answer.status_code, answer.json()) == (200, {"unread_count": 0})
    assert Notification.objects.get().read_at is None
    assert ada.get(INBOX).json()["data"] == []


def test_some_or_all_are_marked_read(as_person):
    ada = as_person()
    for number in range(3):
        tell(ada.user, str(number))
    one = ada.get(INBOX).json()["data"][0]["id"]

    assert ada.post(f"{INBOX}/read", {"ids": [one]}).json() == {"unread_count": 2}
    assert len(ada.get(f"{INBOX}?unread_only=true").json()["data"]) == 2
    assert ada.post(f"{INBOX}/read", {}).json() == {"unread_count": 0}


@pytest.mark.parametrize("body", [{"ids": ["x"]}, {"ids": "all"}, {"ids": [1]}])
def test_ids_are_uuids(as_person, body):
    assert as_person().post(f"{INBOX}/read", body).status_code == 400


def test_a_kind_that_was_muted_is_stored_and_not_shown(as_person):
    ada = as_person()
    ada.put(SETTINGS, {"kinds": {"comment": {"in_app": False, "chat": False}}})

    tell(ada.user, "a comment", NotificationKind.COMMENT)

    assert Notification.objects.count() == 1
    assert ada.get(INBOX).json()["unread_count"] == 0


def test_settings_show_every_kind_with_its_default(as_person):
    answer = as_person().get(SETTINGS).json()

    assert set(answer["kinds"]) == set(CHOSEN_KINDS)
    assert answer["kinds"]["generic"] == {"in_app": True, "chat": False, "email": False, "email_daily": False}
    assert answer["followed_instruments"] == []


def test_only_what_is_named_changes(as_person):
    ada = as_person()
    hplc, reader = make_instrument(), make_instrument()
    ada.put(SETTINGS, {"followed_instruments": [hplc.pk, reader.pk]})

    answer = ada.put(SETTINGS, {"kinds": {"run_failed": {"in_app": True, "chat": True}}}).json()

    assert answer["kinds"]["run_failed"] == {"in_app": True, "chat": True, "email": False, "email_daily": False}
    assert answer["followed_instruments"] == sorted([hplc.pk, reader.pk])


def test_a_list_of_instruments_replaces_the_one_before(as_person):
    ada, hplc = as_person(), make_instrument()
    ada.put(SETTINGS, {"followed_instruments": [hplc.pk]})

    ada.put(SETTINGS, {"followed_instruments": []})

    assert not Follow.objects.exists()


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"kinds": {"generic": {"in_app": False, "chat": False}}}, "kinds.generic"),
        ({"kinds": {"nope": {"in_app": True, "chat": True}}}, "kinds"),
        ({"kinds": {"comment": {"in_app": "yes", "chat": True}}}, "kinds.comment.in_app"),
        ({"followed_instruments": ["no-such"]}, "followed_instruments"),
    ],
)
def test_wrong_settings_name_their_field(as_person, body, field):
    answer = as_person().put(SETTINGS, body)

    assert answer.status_code == 400
    assert field in answer.json()["error"]["details"]["fields"]


def test_the_inbox_costs_the_same_for_any_number(as_person, django_assert_num_queries):
    ada = as_person()
    for number in range(12):
        tell(ada.user, str(number))

    with django_assert_num_queries(6):  # session, person, groups, count, rows, unread
        ada.get(INBOX)


def test_inactive_people_are_told_nothing(db):
    gone = make_user(is_active=False)

    tell(gone, "x")

    assert not Notification.objects.exists()
