"""Who leaves a group, or whose instrument moves to another one, is told nothing more: by no cache, ETag or old cursor.

tests/test_group_leaks.py asks with cold caches what a group has; here everything was asked before, by all who may.
"""

from collections.abc import Callable
from dataclasses import replace

import pytest

from accounts import rate_limits as rates
from instruments.groups.models import GroupInstrument, Membership
from instruments.models import Instrument
from tests.clients import Api
from tests.factories import make_group
from tests.group_lab import (
    OURS,
    THEIRS,
    Answers,
    Lab,
    fill,
    find_leaks,
    hold_minutes,
    is_beneath,
    list_pages,
    list_routes,
    refusal,
    without_noise,
)

pytestmark = pytest.mark.django_db
OWN_WORDS = ("/feedback",)  # what somebody has written to the maintainers stays theirs


@pytest.fixture(autouse=True)
def _no_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "REQUESTS", replace(rates.REQUESTS, max_hits=0))


@pytest.fixture
def lab(db: None, monkeypatch: pytest.MonkeyPatch) -> Lab:
    hold_minutes(monkeypatch)
    return Lab()


def leave_group(lab: Lab) -> None:
    Membership.objects.filter(person=lab.people.member).delete()


def move_instruments(lab: Lab) -> None:
    """To a group of the other person alone."""
    moved = Instrument.objects.filter(in_groups__group__memberships__person=lab.people.member)
    make_group(lab.people.other, instruments=list(moved))
    GroupInstrument.objects.filter(group__memberships__person=lab.people.member).delete()


@pytest.mark.parametrize(("face", "lose"), [("rest", move_instruments), ("pages", leave_group)])
def test_nothing_that_was_asked_before_tells_more_than_may_be_seen_now(
    lab: Lab, face: str, lose: Callable[[Lab], None]
) -> None:
    """What was kept for others, for oneself, and the version by which REST says that nothing has changed."""
    lab.plant_theirs()
    routes = [one for one in (list_routes("GET") if face == "rest" else list_pages()) if one[1] not in OWN_WORDS]
    for who in ("admin", "other"):
        ask_warm(lab.api(who), [fill(path, names) for _, path, _ in routes for names in (OURS, THEIRS)])

    before, versions = ask_warm(lab.api("member"), [fill(path, OURS) for _, path, _ in routes])
    lose(lab)
    after, _ = ask_warm(lab.api("member"), list(before), versions=versions)

    told = [*find_leaks(before, THEIRS), *find_leaks(after, OURS)]
    for _, path, access in routes:
        status, expected = after[fill(path, OURS)][0], refusal(access, lab.caller("member"))
        if is_beneath(path) and status not in (expected, 405):
            told.append(f"{path}: {status}, not {expected}")
    assert not told, "\n".join(told)
    assert find_leaks(before, OURS)


def ask_warm(
    api: Api, addresses: list[str], *, versions: dict[str, str] | None = None
) -> tuple[Answers, dict[str, str]]:
    """As `tests.group_lab.ask_all`, but what was kept for others stays; with the versions of the answers."""
    had, found = versions or {}, {}
    answers: Answers = {}
    for address in addresses:
        answer = api.get(address, **({"If_None_Match": had[address]} if had.get(address) else {}))
        answers[address] = answer.status_code, without_noise(answer.getvalue().decode("utf-8", "replace"))
        found[address] = answer.get("ETag", "")
    return answers, found
