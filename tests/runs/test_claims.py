import pytest

from runs.models import Claim
from tests.factories import make_instrument, make_run, make_user

RUN = "/api/v1/instruments/reader/runs/7"
CLAIM = f"{RUN}/attributions/me"


@pytest.fixture
def run(db):
    return make_run(instrument=make_instrument(id="reader"), run_id="7")


def test_a_claim_puts_the_person_on_the_run(as_person, run):
    api = as_person(display_name="Ada Lovelace")

    answer = api.put(CLAIM)

    claim = Claim.objects.get()
    assert answer.status_code == 200
    assert answer.json()["attributions"] == [
        {
            "id": str(api.user.id),
            "display_name": "Ada Lovelace",
            "initials": "AL",
            "claimed_at": claim.claimed_at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        }
    ]
    assert api.get(RUN).json()["attributions"] == answer.json()["attributions"]


def test_claiming_again_changes_nothing(as_person, run):
    api = as_person()

    assert api.put(CLAIM).json() == api.put(CLAIM).json()


def test_several_may_claim_and_each_leaves_alone(as_person, run):
    first, second = as_person(), as_person()
    first.put(CLAIM)
    second.put(CLAIM)

    left = first.delete(CLAIM).json()["attributions"]

    assert [one["id"] for one in left] == [str(second.user.id)]


def test_unclaiming_what_one_never_claimed_is_fine(as_person, run):
    Claim.objects.create(run=run, user=make_user(email="grace@lab.example"))

    answer = as_person().delete(CLAIM)

    assert answer.status_code == 200
    assert [one["display_name"] for one in answer.json()["attributions"]] == ["grace"]


def test_a_deleted_run_keeps_its_claims(as_person, run):
    first, second = as_person(), as_person()
    first.put(CLAIM)
    first.delete(RUN)

    assert second.put(CLAIM).status_code == 409
    assert first.delete(CLAIM).status_code == 409
    assert len(first.get(RUN).json()["attributions"]) == 1


def test_tokens_claim_nothing(as_token, run):
    api = as_token()

    assert api.put(CLAIM).status_code == 401
    assert api.delete(CLAIM).status_code == 401
    assert not Claim.objects.exists()


def test_an_unknown_run_is_not_there(as_person, run):
    api = as_person()

    assert api.put(f"{RUN}-none/attributions/me").status_code == 404
    assert api.delete(f"{RUN}-none/attributions/me").status_code == 404
