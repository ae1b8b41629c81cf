"""/client/: where the Python client is installed from."""

import hashlib
import importlib.util
import re
import subprocess
import sysconfig
import venv
import zipfile
from io import BytesIO

import pytest

from web.client_wheel import CLIENT, build_wheel
from web.public_routes import PUBLIC_ROUTES

SHA256 = re.compile(r"#sha256=([0-9a-f]{64})")


def test_the_page_links_to_the_wheel_with_its_checksum(client, db):
    page = client.get("/client/").content.decode()

    [name] = re.findall(r'href="/client/([^"#]+\.whl)', page)
    wheel = client.get(f"/client/{name}")
    assert hashlib.sha256(wheel.content).hexdigest() == SHA256.search(page)[1]
    assert wheel["Content-Type"] == "application/zip"


def test_the_page_asks_nothing_of_the_database_for_a_stranger(client, django_assert_num_queries, db):
    with django_assert_num_queries(0):
        assert client.get("/client/").status_code == 200


def test_another_name_is_not_there(client, db):
    assert client.get("/client/instrument_data-0.0.0-py3-none-any.whl").status_code == 404


def test_the_wheel_carries_every_source_and_its_record():
    names = zipfile.ZipFile(BytesIO(build_wheel().data)).namelist()

    sources = {path.relative_to(CLIENT / "src").as_posix() for path in (CLIENT / "src").rglob("*.py")}
    assert sources <= set(names)
    assert "instrument_data/py.typed" in names
    assert sum(name.endswith(("/RECORD", "/METADATA", "/WHEEL", "/entry_points.txt")) for name in names) == 4


def test_the_same_sources_give_the_same_bytes():
    first = build_wheel().data
    build_wheel.cache_clear()

    assert build_wheel().data == first


def test_both_routes_are_listed_as_public():
    assert {"client/", "client/<str:filename>"} <= set(PUBLIC_ROUTES)


def test_the_connect_page_names_it(as_person):
    assert 'href="/client/"' in as_person().get("/watchers/connect").content.decode()


@pytest.mark.skipif(importlib.util.find_spec("ensurepip") is None, reason="this Python has no pip to hand on")
def test_pip_installs_it_and_the_command_runs(tmp_path):
    """What it needs comes from the tests' own environment."""
    wheel = build_wheel()
    (tmp_path / wheel.filename).write_bytes(wheel.data)
    venv.create(tmp_path / "venv", with_pip=True)
    programs = tmp_path / "venv" / "bin"
    found = ["--no-index", "--find-links", str(tmp_path), "--no-deps", "instrument-data"]
    subprocess.run([programs / "python", "-m", "pip", "install", "--quiet", *found], check=True)
    [packages] = (tmp_path / "venv" / "lib").glob("python*/site-packages")
    (packages / "tests.pth").write_text(sysconfig.get_path("purelib"))

    told = subprocess.run([programs / "ids-data", "--version"], capture_output=True, text=True)

    assert told.stdout == f"ids-data, version {wheel.version}\n", told.stderr
