"""Passwords are hashed one at a time; who finds no place is told to come back."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.conf import settings as configured
from django.contrib.auth.hashers import PBKDF2PasswordHasher, check_password, make_password

from accounts.models import User
from accounts.sign_in import password_hashing
from accounts.sign_in.password_hashing import HashingBusy, HashingLane
from accounts.sign_in.password_links import make_password_link

OURS = "accounts.sign_in.password_hashing.PasswordHasher"


@pytest.fixture
def full_lane(monkeypatch, settings):
    """A hash is at work for as long as the test lasts, and nobody may wait."""
    settings.PASSWORD_HASHERS = [OURS]
    lane, door, entered = HashingLane(max_waiting=0), threading.Event(), threading.Event()

    def work():
        entered.set()
        door.wait(30)
        return ""

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(lane.run, work)
        entered.wait(30)
        monkeypatch.setattr(password_hashing, "hashing_lane", lane)
        yield lane
        door.set()
        first.result()


def test_who_finds_the_lane_full_is_refused_at_once(full_lane):
    with pytest.raises(HashingBusy):
        full_lane.run(lambda: "")


def test_never_two_are_computed_at_once():
    lane, at_work, most = HashingLane(max_waiting=9), [], []

    def compute():
        at_work.append(1)
        most.append(len(at_work))
        at_work.pop()
        return "done"

    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda _: lane.run(compute), range(10)))

    assert answers == ["done"] * 10
    assert max(most) == 1


def test_a_failed_computation_gives_its_place_back():
    lane = HashingLane(max_waiting=0)
    with pytest.raises(ZeroDivisionError):
        lane.run(lambda: str(1 / 0))

    assert lane.run(lambda: "done") == "done"


def test_sign_in_says_when_to_come_back(db, client, full_lane):
    answer = client.post("/accounts/login/", {"login": "nobody@lab.example", "password": "guess"})

    assert (answer.status_code, answer["Retry-After"]) == (429, "5")


def test_a_link_to_set_a_password_says_so_too(db, client, full_lane):
    person = User.objects.create_user("ines@lab.example")
    form = {"new_password1": "a new and long sentence", "new_password2": "a new and long sentence"}

    answer = client.post(make_password_link(person), form)

    assert answer.status_code == 429


def test_passwords_that_were_set_before_still_count(settings):
    settings.PASSWORD_HASHERS = [OURS]
    hasher = PBKDF2PasswordHasher()

    assert check_password("a sentence", hasher.encode("a sentence", "salt", iterations=10))


def test_the_service_hashes_nowhere_else(settings):
    names = [name for name in configured.PASSWORD_HASHERS if "MD5" not in name]
    settings.PASSWORD_HASHERS = names

    assert names[0] == OURS
    assert make_password("x", hasher="random_sha256").startswith("random_sha256$")
    assert len(names) == 2
