"""What a configuration that was made elsewhere becomes on this computer."""

import pytest

from agent.tests.lab import DATA
from instrument_watcher.config.reading import read_config
from instrument_watcher.config.remote import NotTaken, adopt_config

OTHER = DATA / "other"
RUNNING = f"""\
# Bench 3. Ask Ada before you change this.
server: "https://data.lab.example"
instrument_id: "reader-1"
watch_directory: "{DATA.as_posix()}"
updates: {{source: index}}
stability_seconds: 10
"""


def adopt(wanted: str, *, running: str = RUNNING):
    return adopt_config(wanted, running=read_config(running), running_text=running)


def reason_of(wanted: str, *, running: str = RUNNING) -> str:
    with pytest.raises(NotTaken) as caught:
        adopt(wanted, running=running)
    return str(caught.value)


def test_a_whole_one_stands_in_the_file_as_it_was_written():
    wanted = RUNNING.replace("10", "30  # µ").replace("\n", "\r\n")

    text, config = adopt(wanted)

    assert text == wanted
    assert config.stability_seconds == 30


def test_what_stays_here_and_is_left_out_stands_at_the_end():
    text, config = adopt("# for all readers\nstability_seconds: 30")

    assert text == (
        "# for all readers\nstability_seconds: 30\n\n# What stays with this computer:\n"
        'server: "https://data.lab.example"\ninstrument_id: "reader-1"\nwatch_directory: "'
        f'{DATA.as_posix()}"\n'
        'updates: {"source": "index"}\n'
    )
    assert (config.watch_directory, config.stability_seconds) == (DATA, 30)


def test_what_was_made_of_one_is_made_of_it_again():
    once, _ = adopt("stability_seconds: 30\n")

    again, _ = adopt("stability_seconds: 30\n", running=once)

    assert again == once


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        (
            "stability_seconds: soon\nevents_kept: 1\n",
            "stability_seconds: must be a number from 0 to 86400; ",
        ),
        (
            "run_grouping: {by: regex, pattern: '(a)(b)'}",
            "run_grouping.pattern: must have exactly one group",
        ),
        (
            "file_patterns: ['{1..9999}']",
            "file_patterns: must hold patterns such as *.csv, not {1..9999}: ",
        ),
        ("a: [1", "not YAML"),
        ("", "it must be a list of `key: value` lines"),
        ("{stability_seconds: 30}", "It is not written as `key: value` lines"),
        ("stability_seconds: 30\n...\n", "It is not written as `key: value` lines"),
        (f'watch_directory: "{OTHER.as_posix()}"', "watch_directory: stays with this computer"),
        ("server: http://elsewhere.example", "server: stays with this computer"),
        ("updates: {source: http://elsewhere.example}", "updates: stays with this computer"),
        ("metrics_listen: 0.0.0.0:9464", "metrics_listen: stays with this computer"),
        ("remote: all", "remote: stays with this computer"),
        ("watcher_id: null\ninstrument_id: other", "instrument_id: stays with this computer"),
    ],
)
def test_what_does_not_hold_here_is_refused_with_the_reason(wanted: str, reason: str):
    assert reason_of(wanted).startswith(reason)


def test_a_computer_may_let_everything_be_changed():
    _, config = adopt(f'watch_directory: "{OTHER.as_posix()}"\nremote: settings\n', running=RUNNING + "remote: all\n")

    assert config.watch_directory == OTHER


def test_a_computer_may_let_nothing_be_changed():
    running = RUNNING + "remote: none\n"

    assert reason_of("stability_seconds: 30", running=running).startswith("This computer takes no configuration")
