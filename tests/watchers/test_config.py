import hashlib

import pytest

from tests.factories import make_watcher
from watchers.models import Watcher

YAML = 'instrument: x\nfile_patterns: ["*.raw"]\n'


def route(watcher, last="config"):
    return f"/api/v1/watchers/{watcher.pk}/{last}"


def body(text, **fields):
    return {"config_yaml": text, "checksum": hashlib.sha256(text.encode()).hexdigest()} | fields


@pytest.fixture
def api(as_token):
    return as_token()


@pytest.fixture
def watcher(api):
    return make_watcher(token=api.token)


def test_before_the_first_push_there_is_nothing(api, watcher):
    assert api.get(route(watcher)).status_code == 404
    assert api.get(route(watcher, "config-checksum")).status_code == 404


@pytest.mark.parametrize(
    "text",
    [
        YAML,
        "# größe µm\nkey:   'x'  \n",
        "a: 1\r\nb: 'x'\r\nc:   2 # µ\r\n\rd: 4",
        "a: 1\rb: 2",
        "\ufeffa: 1\n",
        "- a\n- b\n",
        "just text",
        "",
    ],
)
def test_a_configuration_is_kept_byte_for_byte(api, watcher, text):
    pushed = api.put(route(watcher), body(text))

    kept = api.get(route(watcher)).json()
    raw = api.get(route(watcher), Accept="application/yaml")
    assert pushed.status_code == 200
    assert pushed.json() == {"checksum": body(text)["checksum"], "updated_at": kept["updated_at"]}
    assert kept == body(text) | {"updated_at": pushed.json()["updated_at"]}
    assert raw.headers["Content-Type"] == "application/yaml"
    assert raw.content == text.encode()
    assert api.get(route(watcher, "config-checksum")).json() == {"checksum": body(text)["checksum"]}


def test_the_heartbeat_tells_the_checksum(api, watcher):
    api.put(route(watcher), body(YAML))

    heard = api.post(route(watcher, "heartbeat"), {"status": "watching"}).json()

    assert heard["config_checksum"] == body(YAML)["checksum"]


def test_refusals_are_json_though_yaml_was_asked_for(api, watcher):
    answer = api.get(route(watcher), Accept="application/yaml")

    assert answer.status_code == 404
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json()["error"]["code"] == "NOT_FOUND"


def test_other_media_types_are_not_acceptable(api, watcher):
    assert api.get(route(watcher), Accept="text/html").status_code == 406


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        (body(YAML, checksum=hashlib.sha256(b"other").hexdigest()), "checksum"),
        (body(YAML, checksum="abc"), "checksum"),
        (body(YAML, checksum=5), "checksum"),
        ({"config_yaml": YAML}, "checksum"),
        ({"checksum": hashlib.sha256(b"").hexdigest()}, "config_yaml"),
        (body("a: 1\0"), "config_yaml"),
        (body("a: \x01"), "config_yaml"),
        (body("a: 1") | {"config_yaml": {"a": 1}}, "config_yaml"),
    ],
)
def test_a_bad_push_is_refused_by_name_and_the_old_one_stays(api, watcher, sent, field):
    api.put(route(watcher), body(YAML))

    answer = api.put(route(watcher), sent)

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == [field]
    assert api.get(route(watcher)).json()["config_yaml"] == YAML


def test_broken_yaml_says_where(api, watcher):
    answer = api.put(route(watcher), body("a: 1\nb: [1\n"))

    assert answer.status_code == 400
    assert "line 3" in answer.json()["error"]["details"]["fields"]["config_yaml"][0]


def test_over_256_kib_is_too_large(api, watcher):
    fits = "a: " + "µ" * (128 * 1024 - 2) + "x"

    assert len(fits.encode()) == 256 * 1024
    assert api.put(route(watcher), body(fits)).status_code == 200
    assert api.put(route(watcher), body(fits + "x")).status_code == 413


def test_known_keys_are_shown(api, watcher):
    text = 'watch_directory: "D:\\\\data"\nupload_mode: manual\nfile_patterns: ["*.raw", "*.csv"]\n'

    api.put(route(watcher), body(text))

    watcher.refresh_from_db()
    shown = api.get(f"/api/v1/watchers/{watcher.pk}").json()
    instrument = api.get(f"/api/v1/instruments/{watcher.instrument_id}").json()
    assert (shown["watch_directory"], shown["upload_mode"]) == ("D:\\data", "manual")
    assert instrument["file_patterns"] == ["*.raw", "*.csv"]


@pytest.mark.parametrize(
    "text",
    [
        "watch_directory: 5\nupload_mode: odd\nfile_patterns: all",
        'watch_directory: "a\\0b"\nupload_mode: [manual]\nfile_patterns: ["\\x07", 5, "", {a: b}]',
        "watch_directory: ''\nfile_patterns:",
        f"watch_directory: {'x' * 5_000}\nfile_patterns: [{'x' * 300}]",
    ],
)
def test_known_keys_of_another_form_are_the_agents_own_business(api, watcher, text):
    answer = api.put(route(watcher), body(text))

    watcher.refresh_from_db()
    assert answer.status_code == 200
    assert (watcher.watch_directory, watcher.upload_mode, watcher.file_patterns) == (None, "auto", [])


def test_a_later_push_without_patterns_takes_them_back(api, watcher):
    api.put(route(watcher), body(YAML))

    api.put(route(watcher), body("a: 1"))

    assert Watcher.objects.get().file_patterns == []


def test_a_reader_sees_the_configuration(as_token, api, watcher):
    api.put(route(watcher), body(YAML))
    reader = as_token("watchers:read")

    assert reader.get(route(watcher)).json()["config_yaml"] == YAML
    assert reader.get(route(watcher, "config-checksum")).status_code == 200
