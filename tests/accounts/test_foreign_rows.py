"""A token that is bound to instruments and asks for others reads 404, and whoever watches hears of it."""

import pytest

from tests.factories import make_file, make_instrument, make_run, make_watcher

pytestmark = pytest.mark.django_db


@pytest.fixture
def events(caplog):
    return lambda: [vars(record) for record in caplog.records if record.name == "ids.security"]


@pytest.fixture
def bound(as_token):
    return as_token(instrument_ids=[make_instrument().pk])


@pytest.fixture
def paths():
    """What lies outside the token's instruments, by the word for it."""
    run = make_run()
    watcher, file = make_watcher(instrument=run.instrument), make_file(run=run)
    return {
        "instrument": f"/api/v1/instruments/{run.instrument_id}",
        "run": f"/api/v1/instruments/{run.instrument_id}/runs/{run.run_id}",
        "file": f"/api/v1/files/{file.pk}",
        "watcher": f"/api/v1/watchers/{watcher.pk}",
    }


@pytest.mark.parametrize("kind", ["instrument", "run", "file", "watcher"])
def test_a_try_beyond_a_tokens_instruments_is_404_and_a_security_event(bound, events, paths, kind):
    assert bound.get(paths[kind]).status_code == 404

    (told,) = events()
    assert (told["kind"], told["object_kind"]) == ("foreign_instrument", kind)
    assert told["principal"] == f"token:{bound.token.pk}"


def test_a_token_without_bounds_and_what_nobody_has_are_no_event(bound, as_token, events, paths):
    as_token().get(paths["run"])
    bound.get("/api/v1/files/999999999")
    bound.get("/api/v1/instruments/nobody-has-it")

    assert events() == []


def test_a_spent_code_and_guesses_without_end_are_security_events(anonymous, events):
    guess = {"hostname": "bench-5", "instance_id": "0190f2b4-0000-7000-8000-000000000001", "code": "guess"}
    for _ in range(21):
        anonymous.post("/api/v1/enrol", guess)

    kinds = [told["kind"] for told in events()]
    assert (kinds.count("spent_link"), kinds.count("credentials_guessed")) == (21, 1)
