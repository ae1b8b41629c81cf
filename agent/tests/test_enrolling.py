"""init with an enrolment code: no token passes through anybody's hands."""

import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from agent.tests.desk import PATH, Desk
from agent.tests.gate import Answer, Gate
from agent.tests.lab import Lab
from instrument_watcher.enrolling import is_code

CODE = "AB2C-DE3F-GH4J-KL5M"


@pytest.fixture
def desk(lab: Lab) -> Iterator[Desk]:
    lab.token, token = "", lab.token
    with Desk(lab.url, token=token, codes={CODE: lab.instrument}) as desk:
        yield desk


def init(lab: Lab, url: str, *more: str) -> dict[str, str]:
    return dict(lab.json("init", "--server", url, "--code", CODE, "--folder", str(lab.folder), *more))


def refused(lab: Lab, url: str, *more: str) -> dict[str, str]:
    answer = lab.json("init", "--server", url, "--code", CODE, "--folder", str(lab.folder), *more, code=6)
    return dict(answer["error"])


def test_a_code_makes_a_watcher_that_uploads(lab: Lab, desk: Desk):
    lab.write("R1/a.csv", b"a")

    made = init(lab, desk.url, "--group-by", "top_folder", "--stability", "0.3")
    lab.start()
    lab.wait_stored(1)

    [(asked, credential)] = desk.asked
    assert made["instrument_id"] == lab.instrument
    assert made["watcher_id"] == lab.watcher_id
    assert credential is None
    assert (asked["code"], bool(asked["hostname"]), str(uuid.UUID(asked["instance_id"]))) == (
        CODE, True, asked["instance_id"],
    )  # fmt: skip
    assert (lab.home / "release-key").read_text() == "a key"


def test_a_code_is_good_once(lab: Lab, desk: Desk):
    init(lab, desk.url)

    error = refused(lab, desk.url)

    assert error["message"].startswith("The service does not take this code: it was used before")
    assert "Connect an instrument" in error["remedy"]


def test_a_code_that_the_service_never_gave_sets_nothing_up(lab: Lab):
    error = refused(lab, lab.url)

    assert error["message"].startswith("The service does not take this code")
    assert not (lab.home / "token").exists()


def test_a_service_without_codes_is_told_from_a_bad_code(lab: Lab):
    def of_an_earlier_version(method: str, path: str, body: Any) -> Answer | None:
        return (404, {"error": {"code": "NOT_FOUND", "message": "No such route."}}) if path == PATH else None

    with Gate(lab.url, of_an_earlier_version) as gate:
        error = refused(lab, gate.url)

        assert error["message"] == f"{gate.url} gives out no enrolment codes: it is of an earlier version."
        assert not (lab.home / "token").exists()


def test_a_code_for_another_instrument_sets_nothing_up(lab: Lab, desk: Desk):
    error = refused(lab, desk.url, "--instrument", "another")

    assert error["message"] == f"The code was one for {lab.instrument}, not for another. It is spent now."
    assert not (lab.home / "token").exists()
    assert not lab.config.exists()


def test_what_is_no_code_is_refused_before_anybody_is_asked(lab: Lab, desk: Desk):
    done = lab.command("init", "--yes", "--server", desk.url, "--code", "AB2C", "--folder", str(lab.folder))

    assert done.returncode == 2
    assert "four times four letters and digits" in done.stdout
    assert desk.asked == []


@pytest.mark.parametrize("text", ["AB2C-DE3F-GH4J-KL5M", "ab2c de3f gh4j kl5m", "AB2CDE3FGH4JKL5M"])
def test_a_code_may_be_typed_in_more_than_one_way(text: str):
    assert is_code(text)


@pytest.mark.parametrize("text", ["", "AB2C", "ids_0ciatpM1XLFK1H9EbXSJoRvgnDA0gzOIghul0j6RGI", "AB2C-DE3F-GH4J-KL5M-"])
def test_a_token_is_no_code(text: str):
    assert not is_code(text)
