"""Configuration from afar: what an admin may ask for, who may read it, and what the agent's word makes of it."""

import hashlib

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.trail.rows import find_trail_model
from tests.factories import make_watcher
from watchers.models import WantedConfig, Watcher
from wire.clock import now

RUNNING = (
    'server: "https://data.lab.example"\nwatch_directory: "D:/data"\nfile_patterns: ["*"]\nstability_seconds: 10\n'
)
WANTED = RUNNING.replace("10", "30")


def route(watcher, last="wanted-config"):
    return f"/api/v1/watchers/{watcher.pk}/{last}"


def body(text, **fields):
    return {"config_yaml": text, "checksum": hashlib.sha256(text.encode()).hexdigest()} | fields


def checksum(text):
    return body(text)["checksum"]


@pytest.fixture
def admin(as_person):
    return as_person(is_admin=True)


@pytest.fixture
def agent(as_token):
    return as_token("watchers:read", "watchers:report")


@pytest.fixture
def watcher(agent):
    return make_watcher(
        token=agent.token, config_yaml=RUNNING, config_checksum=checksum(RUNNING), config_updated_at=now()
    )


def refuse(agent, watcher, text, reason="no such folder"):
    details = {"checksum": checksum(text), "reason": reason}
    event = {"event_type": "config_refused", "timestamp": "2026-11-22T10:00:00Z", "message": "Refused."}
    return agent.post(route(watcher, "events"), {"events": [event | {"details": details}]})


def state(watcher):
    return WantedConfig.objects.get(watcher=watcher).state


def heartbeat(agent, watcher):
    return agent.post(route(watcher, "heartbeat"), {"status": "watching"}).json()


def test_what_an_admin_wants_is_told_with_the_next_heartbeat_and_fetched_byte_for_byte(admin, agent, watcher):
    text = "# größer\r\nstability_seconds: 30\n"
    assert heartbeat(agent, watcher)["wanted_config_checksum"] is None

    answer = admin.put(route(watcher), body(text))

    assert answer.status_code == 200, answer.text
    assert answer.json() == body(text) | {
        "updated_at": answer.json()["updated_at"], "state": "waiting", "settled_at": None, "refusal": None,
    }  # fmt: skip
    assert heartbeat(agent, watcher)["wanted_config_checksum"] == checksum(text)
    assert agent.get(route(watcher)).json() == answer.json()


def test_a_heartbeat_asks_the_database_no_more_than_before(admin, agent, watcher):
    heartbeat(agent, watcher)
    with CaptureQueriesContext(connection) as before:
        heartbeat(agent, watcher)
    admin.put(route(watcher), body(WANTED))

    with CaptureQueriesContext(connection) as after:
        heartbeat(agent, watcher)

    assert len(after) == len(before)
    assert sum("watchers_wantedconfig" in query["sql"] for query in after) == 1
    assert sum("UPDATE watchers_watcher" in query["sql"] for query in after) == 1


def test_nothing_is_wanted_of_a_watcher_until_somebody_asks(admin, agent, watcher):
    assert admin.get(route(watcher)).status_code == 404
    assert agent.get(route(watcher)).status_code == 404


def test_what_the_agent_pushes_is_taken(admin, agent, watcher):
    admin.put(route(watcher), body(WANTED))

    agent.put(route(watcher, "config"), body(WANTED))

    assert admin.get(route(watcher)).json()["state"] == "taken"
    assert heartbeat(agent, watcher)["wanted_config_checksum"] is None


def test_what_the_agent_made_of_it_is_taken_too(admin, agent, watcher):
    admin.put(route(watcher), body("stability_seconds: 30\n"))

    agent.put(route(watcher, "config"), body(WANTED, wanted_checksum=checksum("stability_seconds: 30\n")))

    assert state(watcher) == "taken"


def test_another_configuration_of_the_agent_leaves_it_waiting(admin, agent, watcher):
    admin.put(route(watcher), body(WANTED))

    agent.put(route(watcher, "config"), body(RUNNING + "# edited here\n"))

    assert state(watcher) == "waiting"


def test_what_runs_already_is_taken_at_once(admin, watcher):
    assert admin.put(route(watcher), body(RUNNING)).json()["state"] == "taken"


def test_a_refusal_is_kept_with_its_reason_and_not_told_to_the_agent_again(admin, agent, watcher):
    admin.put(route(watcher), body(WANTED))

    answer = refuse(agent, watcher, WANTED)

    kept = admin.get(route(watcher)).json()
    assert answer.status_code == 201, answer.text
    assert (kept["state"], kept["refusal"]) == ("refused", "no such folder")
    assert heartbeat(agent, watcher)["wanted_config_checksum"] is None


def test_a_refused_one_may_be_asked_for_again(admin, agent, watcher):
    admin.put(route(watcher), body(WANTED))
    refuse(agent, watcher, WANTED)

    again = admin.put(route(watcher), body(WANTED)).json()

    assert (again["state"], again["refusal"]) == ("waiting", None)


def test_the_refusal_of_an_earlier_one_does_not_touch_the_next(admin, agent, watcher):
    admin.put(route(watcher), body(WANTED))
    admin.put(route(watcher), body(WANTED + "# mended\n"))

    refuse(agent, watcher, WANTED)

    assert state(watcher) == "waiting"


@pytest.mark.parametrize("details", [None, {}, {"checksum": 5}, {"checksum": "x", "reason": ["y"]}])
def test_a_refusal_of_nothing_in_particular_is_only_an_event(admin, agent, watcher, details):
    admin.put(route(watcher), body(WANTED))
    event = {"event_type": "config_refused", "timestamp": "2026-11-22T10:00:00Z", "message": "m", "details": details}

    assert agent.post(route(watcher, "events"), {"events": [event]}).status_code == 201
    assert state(watcher) == "waiting"


def test_what_is_withdrawn_is_wanted_no_more(admin, agent, watcher):
    admin.put(route(watcher), body(WANTED))

    answers = [admin.delete(route(watcher)).json() for _ in range(2)]

    assert [one["already_applied"] for one in answers] == [False, True]
    assert heartbeat(agent, watcher)["wanted_config_checksum"] is None
    assert admin.get(route(watcher)).status_code == 404


@pytest.mark.parametrize(
    ("sent", "field", "words"),
    [
        (body(WANTED, checksum="0" * 64), "checksum", "This is not the SHA-256 of config_yaml as it arrived."),
        (body("a: 1\0"), "config_yaml", ""),
        (body("a: [1\n"), "config_yaml", "line 2"),
        (body(""), "config_yaml", "It must be a list of `key: value` lines."),
        (body("- a\n"), "config_yaml", "It must be a list of `key: value` lines."),
        (body("a: &x [1]\nb: *x\n"), "config_yaml", "Aliases"),
        (body("stability_seconds: soon"), "config_yaml", "stability_seconds: must be a number from 0 to 86400."),
        (body("stability_seconds: true"), "config_yaml", "stability_seconds: must be a number from 0 to 86400."),
        (body("uploads: {parallel: 0}"), "config_yaml", "uploads.parallel: must be a whole number from 1 to 16."),
        (body("uploads: 5"), "config_yaml", "uploads: must hold keys of its own, indented below it."),
        (body("uploads: {speed: 5}"), "config_yaml", "uploads.speed: is not a known key."),
        (body("stabilty: 5\n7: 8\n"), "config_yaml", "stabilty: is not a known key."),
        (body("upload_mode: sometimes"), "config_yaml", "upload_mode: must be one of auto, manual."),
        (
            body("file_patterns: []"),
            "config_yaml",
            "file_patterns: must be a list of texts, such as",
        ),
        (body("file_patterns: [2026-01-01]"), "config_yaml", "file_patterns: must be a list of texts"),
        (
            body('uploads: {bandwidth_by_hours: {"day": 5}}'),
            "config_yaml",
            "uploads.bandwidth_by_hours: must hold lines",
        ),
    ],
)
def test_what_the_agents_schema_has_against_it_is_said_in_the_agents_words(admin, watcher, sent, field, words):
    answer = admin.put(route(watcher), sent)

    assert answer.status_code == 400, answer.text
    [(name, texts)] = answer.json()["error"]["details"]["fields"].items()
    assert name == field
    assert words in texts[0]
    assert not WantedConfig.objects.exists()


def test_every_fault_is_named_at_once_up_to_a_bound(admin, watcher):
    text = "".join(f"key{number}: {number}\n" for number in range(2_000))

    answer = admin.put(route(watcher), body(text))

    assert answer.status_code == 400
    assert len(answer.json()["error"]["details"]["fields"]["config_yaml"]) == 20


def test_over_256_kib_is_too_large(admin, watcher):
    assert admin.put(route(watcher), body("#" * (256 * 1024 + 1))).status_code == 413


@pytest.mark.parametrize(
    "text",
    [
        WANTED.replace("D:/data", "D:/other"),
        WANTED.replace("https://data", "https://elsewhere"),
        "remote: all\n",
        "updates: {source: index}\n",
        'instrument_id: "other"\n',
        "metrics_listen: 9464\n",
    ],
)
def test_what_the_agent_keeps_to_itself_is_refused_unless_it_says_otherwise(admin, agent, watcher, text):
    refused = admin.put(route(watcher), body(text))
    agent.put(route(watcher, "config"), body(RUNNING + "remote: all\n"))
    allowed = admin.put(route(watcher), body(text))

    assert refused.status_code == 400
    assert "stays with the computer" in refused.json()["error"]["details"]["fields"]["config_yaml"][0]
    assert allowed.status_code == 200, allowed.text


def test_before_the_agent_reported_its_own_nothing_that_it_keeps_may_be_said(admin, agent):
    watcher = make_watcher(token=agent.token)

    assert admin.put(route(watcher), body("stability_seconds: 30\n")).status_code == 200
    assert admin.put(route(watcher), body("watch_directory: /data\n")).status_code == 400


def test_keys_that_the_agent_runs_already_are_not_judged(admin, agent, watcher):
    newer = RUNNING + "key_of_a_newer_agent: 5\n"
    agent.put(route(watcher, "config"), body(newer))

    assert admin.put(route(watcher), body(newer.replace("10", "20"))).status_code == 200


def test_a_computer_may_take_nothing_from_afar(admin, agent, watcher):
    agent.put(route(watcher, "config"), body(RUNNING + "remote: none\n"))

    answer = admin.put(route(watcher), body(WANTED + "remote: none\n"))

    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "CONFLICT")
    assert "remote: none" in answer.json()["error"]["message"]


def test_only_the_watchers_own_token_and_admins_read_it(as_person, as_token, admin, watcher):
    admin.put(route(watcher), body(WANTED))

    assert as_person().get(route(watcher)).status_code == 403
    assert as_token("watchers:read", "watchers:report").get(route(watcher)).status_code == 403
    assert as_token("watchers:read", "watchers:admin").get(route(watcher)).status_code == 200


def test_a_deregistered_watcher_is_asked_nothing(admin, watcher):
    Watcher.objects.update(deleted_at=now())

    assert admin.put(route(watcher), body(WANTED)).status_code == 409


def test_the_trail_says_who_wanted_what(admin, watcher):
    admin.put(route(watcher), body(WANTED))
    admin.delete(route(watcher))

    rows = list(find_trail_model(WantedConfig).objects.order_by("pgh_id"))
    assert [row.pgh_label for row in rows] == ["insert", "delete"]
    assert rows[0].changes["config_yaml"] == [None, WANTED]
    assert {row.pgh_context["id"] for row in rows} == {str(admin.user.pk)}
