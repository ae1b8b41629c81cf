"""An address as people type it."""

import json

import pytest

from agent.tests.lab import Lab, wait_until
from instrument_watcher.probing import NotFit, find_scheme, refuse_silence
from instrument_watcher.service.errors import ServiceAway


def test_an_address_without_a_scheme_is_tried_by_https_and_then_by_http(lab: Lab):
    assert find_scheme(lab.url.removeprefix("http://")) == lab.url


def test_where_neither_answers_both_are_said():
    with pytest.raises(NotFit) as caught:
        find_scheme("127.0.0.1:9")

    assert "https://127.0.0.1:9 does not answer" in caught.value.message
    assert "http://127.0.0.1:9 does not answer" in caught.value.message


def test_https_to_a_service_that_speaks_http_says_so(lab: Lab):
    with pytest.raises(ServiceAway, match="speaks no https"):
        refuse_silence(lab.url.replace("http://", "https://"))


def test_init_says_which_one_answered(lab: Lab):
    bare = lab.url.removeprefix("http://")

    lab.json("init", "--yes", "--server", bare, "--instrument", lab.instrument, "--folder", str(lab.folder))

    assert f'server: "{lab.url}"' in lab.config.read_text()


def test_a_log_in_json_has_one_object_a_line(lab: Lab):
    lab.init()
    lab.start("--log-format", "json")
    wait_until(lambda: "started" in lab.output)
    lab.stop()

    lines = [json.loads(line) for line in lab.output.splitlines()]

    assert "Agent 0.1.0 started" in [line["message"] for line in lines]
    assert {tuple(line) for line in lines} == {("time", "level", "message")}
