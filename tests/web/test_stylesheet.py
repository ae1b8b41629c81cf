"""The stylesheet is written in parts and served in one piece."""

import re
from pathlib import Path

import pytest

from web.stylesheet import read_stylesheet

STATIC = Path(__file__).parent.parent.parent / "dashboard" / "static"


def test_every_part_is_imported_once():
    imported = re.findall(r'@import "css/([a-z-]+\.css)"', (STATIC / "app.css").read_text())

    assert sorted(imported) == sorted(path.name for path in (STATIC / "css").iterdir())


def test_it_is_served_in_one_piece(client):
    served = client.get("/static/app.css").getvalue().decode()

    assert "@import" not in served
    assert "\n@layer tokens {\n:root {\ncolor-scheme: light dark;\n" in served
    assert served.count("{") == served.count("}")


def test_parts_stand_in_their_layers_in_the_order_of_their_imports(tmp_path):
    (tmp_path / "late.css").write_text("a {\n  color: red;\n}\n")
    (tmp_path / "early.css").write_text("/* A word. */\n\nb {\n  color: blue;\n}\n")
    (tmp_path / "app.css").write_text('@import "early.css" layer(base);\n@import "late.css" layer(parts);\n')

    assert read_stylesheet(tmp_path / "app.css").decode() == (
        "@layer base {\nb {\ncolor: blue;\n}\n}\n@layer parts {\na {\ncolor: red;\n}\n}\n"
    )


@pytest.mark.parametrize("known", ["{tag}", "W/{tag}", "*", '"other", {tag}'])
def test_a_browser_that_has_it_is_not_sent_it_again(client, known):
    first = client.get("/static/app.css")

    again = client.get("/static/app.css", headers={"If-None-Match": known.format(tag=first["ETag"])})

    assert (again.status_code, again.getvalue()) == (304, b"")
    assert again["ETag"] == first["ETag"]


@pytest.mark.parametrize(("method", "status"), [("head", 200), ("post", 405)])
def test_only_reading_is_answered(client, method, status):
    answer = getattr(client, method)("/static/app.css")

    assert (answer.status_code, answer.getvalue()) == (status, b"")
