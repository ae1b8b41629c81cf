"""The directory of people, and people by their names."""

import pytest

from accounts.people import NoSuchPerson, SeveralPeople, identify_person, list_people
from runs.models import Claim
from tests.factories import make_run, make_user

pytestmark = pytest.mark.django_db


def test_everybody_is_listed_by_name_without_addresses(as_token):
    make_user(email="zoe@lab.example", display_name="Zoe Adams", is_active=False)
    make_user(email="ada@lab.example")

    answer = as_token("watchers:report").get("/api/v1/people")

    rows = answer.json()["data"]
    assert [(row["display_name"], row["initials"], row["is_active"]) for row in rows] == [
        ("Zoe Adams", "ZA", False),
        ("ada", "A", True),
    ]
    assert "@" not in answer.content.decode()


@pytest.mark.parametrize("search", ["zoe", "E A"])
def test_a_search_looks_at_names_only(search):
    make_user(email="zoe@lab.example", display_name="Zoe Adams")
    make_user(email="zoe.adams@lab.example", display_name="Other")

    assert [user.name for user in list_people(search)] == ["Zoe Adams"]


@pytest.mark.parametrize("search", ["%", "_", "lab.example", "\N{SNOWMAN}"])
def test_what_is_in_no_name_finds_nobody(search):
    make_user(email="zoe@lab.example", display_name="Zoe Adams")

    assert not list_people(search).exists()


def test_a_name_is_found_in_any_case_and_the_exact_one_wins():
    upper, lower = make_user(display_name="Zoe"), make_user(display_name="zoe")
    other = make_user(email="max@lab.example")

    assert identify_person("zoe", parameter="ranBy") == lower.pk
    assert identify_person("Zoe", parameter="ranBy") == upper.pk
    assert identify_person("MAX", parameter="ranBy") == other.pk


def test_several_of_a_name_are_candidates():
    twins = sorted(str(make_user(display_name="Zoe").pk) for _ in range(2))

    with pytest.raises(SeveralPeople) as refused:
        identify_person("Zoe", parameter="ranBy")

    assert refused.value.details["candidates"] == [{"id": one, "display_name": "Zoe"} for one in twins]
    assert list(refused.value.details["fields"]) == ["ranBy"]


def test_nobody_of_a_name_is_refused():
    with pytest.raises(NoSuchPerson):
        identify_person("Zoe", parameter="ranBy")


def test_runs_are_found_by_the_name_of_who_claimed_them(as_token):
    run, user = make_run(run_id="mine"), make_user(display_name="Zoe Adams")
    make_run(run_id="other")
    Claim.objects.create(run=run, user=user)

    answer = as_token().get("/api/v1/instrument-runs?ranBy=Zoe%20Adams")

    assert [row["run_id"] for row in answer.json()["data"]] == ["mine"]


def test_a_message_reaches_people_by_name_and_id_once(as_token):
    zoe, max_ = make_user(display_name="Zoe"), make_user(display_name="Max")
    body = {"users": ["Zoe", str(max_.pk)], "user_ids": [str(zoe.pk)], "message": "Done."}

    answer = as_token().post("/api/v1/notifications/dispatch", body)

    assert answer.status_code == 201, answer.json()
    assert answer.json() == {"notified_user_ids": [str(zoe.pk), str(max_.pk)], "skipped_user_ids": []}


@pytest.mark.parametrize("bad", ["Zoe", [5], [None], {"a": 1}, 5, [], ["Nobody"]], ids=str)
def test_users_of_a_bad_form_are_refused(as_token, bad):
    zoe = make_user(display_name="Zoe")

    answer = as_token().post(
        "/api/v1/notifications/dispatch", {"users": bad, "user_ids": [str(zoe.pk)], "message": "Done."}
    )

    assert answer.status_code == 400
    assert any(name.startswith("users") for name in answer.json()["error"]["details"]["fields"])


def test_the_global_search_finds_people(as_token):
    zoe = make_user(display_name="Zoe Adams")

    answer = as_token().get("/api/v1/search?q=adams")

    assert answer.json()["people"] == [
        {"id": str(zoe.pk), "display_name": "Zoe Adams", "initials": "ZA", "is_active": True}
    ]
