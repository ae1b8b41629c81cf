"""`ids-data login` by browser against `./ids serve`: with a real browser, and with a few lines of HTTP."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests
from playwright.sync_api import expect

from tests.browser import chromium, visit
from tests.e2e.oauth_person import Person
from tests.factories import PASSWORD
from tests.service import Service

pytestmark = pytest.mark.slow
SOURCE = Path(__file__).parents[2] / "client" / "src"
INES, MIA = "ines@lab.example", "mia@lab.example"


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with Service(tmp_path_factory.mktemp("login") / "data", WEB_CONCURRENCY="2") as running:
        running.manage("create_admin", INES, "--name", "Ines Example", IDS_ADMIN_PASSWORD=PASSWORD)
        running.manage("create_user", MIA, "--name", "Mia Member", IDS_USER_PASSWORD=PASSWORD)
        yield running


@pytest.fixture
def ids_data(tmp_path):
    """Starts the command, with a home of its own."""
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(SOURCE), "IDS_DATA_HOME": str(tmp_path / "home")}

    def start(*arguments):
        program = [sys.executable, "-m", "instrument_data.cli.main", *arguments]
        pipe = subprocess.PIPE
        return subprocess.Popen(program, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=env)

    return start


def begin(ids_data, service):
    """The command that waits, the address of the page and what both show."""
    login = ids_data("login", service.url, "--no-browser", "--json")
    told = login.stderr.readline()
    return login, login.stderr.readline().strip(), re.search(r"[A-Z2-7]{4}-[A-Z2-7]{4}", told)[0]


def finish(command):
    out, err = command.communicate(timeout=60)
    return command.returncode, out, err


def test_who_allows_it_in_the_browser_finds_the_command_signed_in(service, ids_data):
    login, address, pairing = begin(ids_data, service)

    person = Person(service.url, email=INES, password=PASSWORD)
    page = person.submit(person.browser.get(address, timeout=60), login=INES, password=PASSWORD)
    landed = person.submit(page, name="notebook", preset="read", ends="90", allow="1")
    shown = requests.get(landed.headers["Location"], timeout=60)
    code, out, err = finish(login)
    again = requests.post(
        f"{service.url}/api/v1/tokens/exchange",
        json={"code": re.search(r"code=([^&]+)", landed.headers["Location"])[1], "code_verifier": "v" * 43},
        timeout=60,
    )

    assert pairing in page.text
    assert "ids-data has the answer" in shown.text
    assert (code, json.loads(out)["name"]) == (0, "notebook"), err
    assert "ids_" not in out + err
    assert again.status_code == 404
    assert finish(ids_data("whoami"))[0] == 1  # a code that is brought twice was stolen: its token ended


@pytest.mark.browser
def test_in_a_real_browser_too(service, ids_data):
    login, address, pairing = begin(ids_data, service)

    with chromium() as browser, visit(browser, service.url) as visitor:
        page = visitor.page
        page.goto(address)
        page.get_by_label("E-mail").fill(INES)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_text(pairing)).to_be_visible()
        page.get_by_text("Read and send").click()
        page.get_by_role("button", name="Allow").click()
        expect(page.get_by_role("heading", name="ids-data has the answer")).to_be_visible()
        code, out, err = finish(login)
        page.goto("/settings/tokens")
        expect(page.get_by_text("ids-data on").first).to_be_visible()
        visitor.trouble = [one for one in visitor.trouble if urlsplit(address).query.split("port=")[1][:5] not in one]

    assert code == 0, err
    assert "runs:upload" in json.loads(out)["scopes"]
    assert finish(ids_data("runs"))[0] == 0
    assert f"{service.url}/settings/tokens" in finish(ids_data("logout"))[2]


@pytest.mark.browser
def test_who_may_make_no_token_reads_why_and_the_command_ends(service, ids_data):
    login, address, _ = begin(ids_data, service)

    with chromium() as browser, visit(browser, service.url) as visitor:
        page = visitor.page
        page.goto(address)
        page.get_by_label("E-mail").fill(MIA)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("heading", name="Admins make tokens here")).to_be_visible()
        page.get_by_role("button", name="Back to the command").click()
        expect(page.get_by_role("heading", name="ids-data has the answer")).to_be_visible()
        visitor.trouble.clear()  # the refusal, and the way to the command

    code, _, err = finish(login)
    assert (code, "denied in the browser" in err) == (1, True)
