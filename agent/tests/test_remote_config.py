"""Configuration from afar, against a real service: taken, refused, asked for again, and never in the way of people."""

import hashlib
from typing import Any

from agent.tests.lab import Lab, wait_until


def want(lab: Lab, text: str) -> dict[str, Any]:
    body = {"config_yaml": text, "checksum": hashlib.sha256(text.encode()).hexdigest()}
    return dict(lab.call("PUT", f"watchers/{lab.watcher_id}/wanted-config", body))


def wanted(lab: Lab) -> dict[str, Any]:
    return dict(lab.call("GET", f"watchers/{lab.watcher_id}/wanted-config"))


def wait_settled(lab: Lab, state: str) -> dict[str, Any]:
    wait_until(lambda: wanted(lab)["state"] == state, what=f"{state}; {wanted(lab)} {lab.output[-2000:]}")
    return wanted(lab)


def reported(lab: Lab) -> str:
    return str(lab.call("GET", f"watchers/{lab.watcher_id}/config")["config_yaml"])


def wait_beats(lab: Lab, count: int) -> None:
    """Until the agent was heard so many times more."""
    path = f"watchers/{lab.watcher_id}/heartbeats?per_page=1"

    def heard() -> int:
        return int(lab.call("GET", path)["pagination"]["total"])

    enough = heard() + count
    wait_until(lambda: heard() >= enough, what="heartbeats")


def text_of(lab: Lab) -> str:
    return lab.config.read_bytes().decode()


def begin(lab: Lab, **settings: Any) -> None:
    """An agent that runs and has reported what it runs."""
    lab.init(**settings)
    lab.start()
    wait_until(lambda: lab.events("config_synced"), what="the first report of the configuration")


def test_what_is_wanted_is_taken_without_a_restart_and_works(lab: Lab):
    lab.write("one/a.raw", b"raw")
    begin(lab, file_patterns=["*.csv"])
    before = text_of(lab)
    process = lab.agent
    after = before.replace('["*.csv"]', '["*.raw"]  # größer').replace("\n", "\r\n")

    want(lab, after)

    wait_settled(lab, "taken")
    lab.wait_stored(1)
    assert (text_of(lab), reported(lab)) == (after, after)
    assert (lab.home / "config.yaml.former").read_text(encoding="utf-8") == before
    assert lab.agent is process
    assert process is not None
    assert process.poll() is None


def test_what_leaves_out_the_keys_of_the_computer_is_taken_with_them(lab: Lab):
    begin(lab)

    want(lab, "stability_seconds: 0.2\nheartbeat_seconds: 1\n")

    wait_settled(lab, "taken")
    assert text_of(lab).startswith("stability_seconds: 0.2\nheartbeat_seconds: 1\n\n# What stays with this computer:\n")
    assert reported(lab) == text_of(lab)


def test_what_does_not_hold_is_refused_once_and_the_old_one_stays(lab: Lab):
    begin(lab)
    before = text_of(lab)

    want(lab, "run_grouping: {by: regex, pattern: '(a)(b)'}\n")

    refused = wait_settled(lab, "refused")
    wait_beats(lab, 3)
    lab.stop()
    lab.start()
    wait_beats(lab, 2)
    assert refused["refusal"] == "run_grouping.pattern: must have exactly one group ( ), it has 2"
    assert (text_of(lab), reported(lab)) == (before, before)
    [event] = lab.events("config_refused")
    assert event["details"]["reason"] == refused["refusal"]


def test_what_was_refused_is_tried_again_when_it_is_asked_for_again(lab: Lab):
    begin(lab, remote="all")
    other = lab.folder.with_name("other")
    text = text_of(lab).replace(str(lab.folder), str(other))
    want(lab, text)
    refused = wait_settled(lab, "refused")
    other.mkdir()

    want(lab, text)

    wait_settled(lab, "taken")
    assert "cannot be read" in refused["refusal"]
    assert text_of(lab) == text


def test_an_address_at_which_nobody_answers_is_not_gone_to(lab: Lab):
    begin(lab, remote="all")
    before = text_of(lab)

    want(lab, before.replace(lab.url, "http://127.0.0.1:9"))

    assert "127.0.0.1:9" in wait_settled(lab, "refused")["refusal"]
    assert text_of(lab) == before


def test_what_a_person_changes_at_the_computer_later_is_not_taken_back(lab: Lab):
    begin(lab)
    want(lab, text_of(lab).replace("stability_seconds: 0.3", "stability_seconds: 0.2"))
    wait_settled(lab, "taken")

    lab.set(stability_seconds=0.1)
    here = text_of(lab)
    wait_until(lambda: reported(lab) == here, what="the person's change")
    wait_beats(lab, 3)

    assert (text_of(lab), reported(lab)) == (here, here)


def test_what_was_withdrawn_before_the_agent_came_is_not_taken(lab: Lab):
    begin(lab)
    before = text_of(lab)
    lab.stop()
    want(lab, "stability_seconds: 5\n")
    lab.call("DELETE", f"watchers/{lab.watcher_id}/wanted-config")

    lab.start()

    wait_beats(lab, 2)
    assert text_of(lab) == before


def test_an_agent_that_died_between_writing_and_reporting_reports_at_its_next_start(lab: Lab):
    begin(lab)
    lab.kill()
    text = text_of(lab).replace("stability_seconds: 0.3", "stability_seconds: 0.2")
    want(lab, text)
    lab.config.write_bytes(text.encode())  # as far as it came
    lab.config.with_name("config.yaml.new").write_text("half a fi", encoding="utf-8")

    lab.start()

    wait_settled(lab, "taken")
    assert (text_of(lab), reported(lab)) == (text, text)
    assert not lab.config.with_name("config.yaml.former").exists()
