"""What a child gives back is a stranger's input: each broken rule is a clear failure."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from processing.confined.output import InvalidOutput, check_output
from processing.failures import ReadingFailed
from tests.processing.reading import read_as, reader

pytestmark = pytest.mark.usefixtures("light_fork_server")

INVALID = {
    "gives_nan_in_an_artefact": "a.json is no JSON, or holds numbers that JSON does not know.",
    "gives_nan_as_a_fact": "mean is no finite number.",
    "climbs_out": "The name '../../etc/passwd' of an artefact is not plain.",
    "gives_html": "a.html is a image of type text/html, which nothing shows.",
    "pretends_a_picture": "a.png is not of the type image/png.",
    "gives_a_large_artefact": "a.json is larger than 16 MiB.",
    "gives_twins": "Two artefacts have the same name.",
    "gives_a_nested_fact": "plate is neither a plain value nor a list of them.",
    "gives_65_facts": "There are 65 run facts; 64 are the most.",
    "gives_a_control_character": "title has a control character.",
    "gives_a_naive_time": "The time of acquisition is no time with a zone.",
    "gives_a_broken_curve": "a.json: x and y of a series differ in length, or it has no label.",
}


@pytest.mark.parametrize("function", INVALID)
def test_an_output_that_breaks_a_rule_fails_the_file(function, tmp_path):
    path = tmp_path / "scan.txt"
    path.write_text("1")

    with pytest.raises(ReadingFailed) as refusal:
        read_as(reader(function), path)

    assert refusal.value.sentence == f"Test gave an answer that cannot be kept: {INVALID[function]}"


def answer(**fields: Any) -> dict[str, Any]:
    return {"run": {}, "file": {}, "acquired_at": None, "warnings": [], "artefacts": []} | fields


def artefact(**fields: Any) -> dict[str, Any]:
    return {"name": "a.json", "kind": "table", "content_type": "application/json", "title": ""} | fields


def test_a_link_in_place_of_an_artefact_is_not_followed(tmp_path):
    (tmp_path / "0").symlink_to("/etc/hostname")

    with pytest.raises(InvalidOutput, match=r"a\.json is missing"):
        check_output(answer(artefacts=[artefact()]), folder=tmp_path)


def test_a_pipe_in_place_of_an_artefact_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "0")

    with pytest.raises(InvalidOutput):
        check_output(answer(artefacts=[artefact()]), folder=tmp_path)


def test_too_many_values_of_a_fact_are_refused(tmp_path):
    with pytest.raises(InvalidOutput, match="sample_id has 201 values; 200 are the most"):
        check_output(answer(run={"sample_id": [str(number) for number in range(201)]}), folder=tmp_path)


def test_facts_are_bounded_together(tmp_path):
    run = {f"key_{number}": ["x" * 200] * 10 for number in range(60)}

    with pytest.raises(InvalidOutput, match="larger than 64 KiB"):
        check_output(answer(run=run), folder=tmp_path)


@pytest.mark.parametrize("wrong", [None, [], {"run": {}}, answer(run=[]), answer(artefacts={})])
def test_anything_else_is_no_output(wrong, tmp_path):
    with pytest.raises(InvalidOutput, match="It is no output"):
        check_output(wrong, folder=tmp_path)


def test_titles_and_warnings_lose_what_cannot_be_printed(tmp_path):
    (tmp_path / "0").write_bytes(json.dumps({"anything": 1}).encode())

    reading = check_output(answer(artefacts=[artefact(title="a\x07b")], warnings=["c\x1bd"]), folder=tmp_path)

    assert (reading.artefacts[0].title, list(reading.warnings)) == ("a b", ["c d"])


def test_of_more_than_fifty_tables_the_first_fifty_are_kept_and_it_is_said(tmp_path):
    path = tmp_path / "scan.txt"
    path.write_text("1")

    found = read_as(reader("gives_51_artefacts"), path)

    assert list(found.artefacts) == [f"{number}.json" for number in range(50)]
    assert found.warnings == ["Only the first 50 of 51 tables and pictures are kept."]


def test_a_long_title_is_shortened(tmp_path):
    (tmp_path / "0").write_bytes(json.dumps({"anything": 1}).encode())

    reading = check_output(answer(artefacts=[artefact(title="x" * 244)], warnings=["y" * 500]), folder=tmp_path)

    assert reading.artefacts[0].title == "x" * 199 + "…"
    assert len(reading.warnings[0]) == 400


def test_a_path_of_the_machine_is_no_name(tmp_path: Path):
    for name in ("", ".hidden", "a/b", "a\\b", "a\nb", "a.", "a ", "ä.json", "x" * 101):
        with pytest.raises(InvalidOutput, match="is not plain"):
            check_output(answer(artefacts=[artefact(name=name)]), folder=tmp_path)
