"""The configuration file: what is written can be read, and every fault is named."""

from pathlib import Path

import pytest

from agent.tests.lab import DATA
from instrument_watcher.config.model import Config, GroupBy, Grouping, Updates, UploadMode, Uploads
from instrument_watcher.config.reading import ConfigInvalid, ConfigMissing, load_config, read_config
from instrument_watcher.config.writing import write_config

LEAST = f'server: "https://data.lab.example"\ninstrument_id: "reader-1"\nwatch_directory: "{DATA.as_posix()}"\n'


def faults_of(text: str) -> list[str]:
    with pytest.raises(ConfigInvalid) as caught:
        read_config(text)
    return caught.value.faults


def test_what_is_written_is_read_back():
    config = Config(
        server="https://data.lab.example:8443/ids",
        instrument_id="reader-1",
        watch_directory=DATA / "Größe: \"1\" #x 'y'",
        watcher_id="0199a7f0-0000-7000-8000-000000000001",
        file_patterns=("*.csv", "[ab]*.raw", "#x"),
        ignore_patterns=(),
        run_grouping=Grouping(GroupBy.REGEX, separator=": ", pattern=r"^(\d+)\\x"),
        upload_mode=UploadMode.MANUAL,
        stability_seconds=2.5,
        rescan_seconds=86400,
        uploads=Uploads(parallel=4, bandwidth_limit_mib=0.5, pause_above_disk_load=60),
        updates=Updates(source="index"),
    )

    assert read_config(write_config(config)) == config


def test_three_lines_are_enough():
    config = read_config(LEAST)

    assert (config.stability_seconds, config.rescan_seconds, config.upload_mode) == (10, 300, UploadMode.AUTO)


def test_every_fault_is_named_at_once():
    faults = faults_of(
        'server: "ftp://x"\ninstrument_id: "Reader 1"\nwatch_directory: "data"\nfile_patern: ["*"]\n'
        "file_patterns: []\nstability_seconds: -1\nupload_mode: always\nuploads: {parallel: 0, speed: 1}\n"
        "run_grouping: {by: regex, pattern: 'no group'}\n"
    )

    assert faults == [
        "file_patern: is not a known key; did you mean `file_patterns`?",
        "server: must be an address such as https://data.lab.example",
        "instrument_id: must be 1 to 64 of a-z, 0-9 and -",
        "watch_directory: must be a full path",
        'file_patterns: must hold at least one pattern; "*" takes every file',
        "run_grouping.pattern: must have exactly one group ( ), it has 0",
        "upload_mode: must be one of auto, manual",
        "stability_seconds: must be a number from 0 to 86400",
        "uploads.speed: is not a known key",
        "uploads.parallel: must be a whole number from 1 to 16",
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "it must be a list of `key: value` lines"),
        ("- a\n- b\n", "it must be a list of `key: value` lines"),
        (LEAST + "uploads: fast\n", "uploads: must hold keys of its own, indented below it"),
        (LEAST + "run_grouping: {by: regex}\n", "run_grouping.pattern: is missing"),
        (LEAST + "stability_seconds: yes\n", "stability_seconds: must be a number from 0 to 86400"),
        (LEAST + "file_patterns: '*.csv'\n", 'file_patterns: must be a list of texts, such as ["*.csv", "*.raw"]'),
        (LEAST.partition("\n")[2], "server: is missing"),
        (LEAST.replace("//data.lab", "//me:secret@data.lab"), "server: must not hold a user name or password"),
    ],
)
def test_a_fault_says_what_to_write(text: str, fault: str):
    assert faults_of(text) == [fault]


def test_what_is_no_yaml_is_refused():
    [fault] = faults_of("a: [1\nb: 2")

    assert fault.startswith("not YAML:")


@pytest.mark.parametrize("given", ["https://data.lab.example/", "https://data.lab.example/api/v1"])
def test_an_address_is_kept_without_what_is_added_later(given: str):
    assert read_config(LEAST.replace("https://data.lab.example", given)).server == "https://data.lab.example"


def test_a_missing_file_names_the_command_that_makes_one(tmp_path: Path):
    with pytest.raises(ConfigMissing) as caught:
        load_config(tmp_path / "config.yaml")

    assert caught.value.remedy == "Make one with: instrument-watcher init"
