"""`ids-data login` by browser, with a browser that is a few lines of httpx."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest

from client.tests.desk import Answer, refusal
from instrument_data import browser_login
from instrument_data.browser_login import Login, login_by_browser
from instrument_data.errors import NotConnected, NotFound, ServiceAway

PAGE = "/store/page"  # the desk tells what lies outside the interface under /store alone


@pytest.fixture
def site(desk, monkeypatch):
    monkeypatch.setattr(browser_login, "PAGE", PAGE)
    desk.tell("GET", PAGE, Answer(status=302, headers={"Location": "/accounts/login/"}))
    desk.tell("POST", "/tokens/exchange", Answer({"token": "ids_new"}, status=201))
    return desk


def bring(address, **told):
    """What the browser does when a person allows it; the answer that it shows."""
    asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    query = urlencode({"state": asked["state"], **told})
    return httpx.get(f"http://127.0.0.1:{asked['port']}/callback?{query}", trust_env=False)


def test_the_code_becomes_a_token_and_the_secret_stays_here_until_then(site):
    seen: dict[str, Any] = {}

    def show(address, pairing):
        seen.update(address=address, pairing=pairing, page=bring(address, code="c0de"))

    assert login_by_browser(site.url, show=show) == "ids_new"
    sent = httpx.Response(200, content=site.asked("/tokens/exchange")[0].body).json()
    assert sent["code"] == "c0de"
    assert sent["code_verifier"] not in seen["address"]
    assert len(sent["code_verifier"]) == 64
    assert seen["page"].status_code == 200
    assert re.fullmatch(r"[A-Z2-7]{4}-[A-Z2-7]{4}", seen["pairing"])


def test_another_state_or_path_is_not_an_answer_and_waits_on(site):
    refused = []

    def show(address, pairing):
        refused.append(bring(address, code="evil", state="s" * 32).status_code)
        port = parse_qs(urlsplit(address).query)["port"][0]
        refused.append(httpx.get(f"http://127.0.0.1:{port}/favicon.ico", trust_env=False).status_code)
        refused.append(bring(address).status_code)
        bring(address, code="good")

    assert login_by_browser(site.url, show=show) == "ids_new"
    assert refused == [404, 404, 404]
    assert b'"good"' in site.asked("/tokens/exchange")[0].body


def test_of_two_tabs_the_first_answer_counts(site):
    def show(address, pairing):
        bring(address, code="one")
        bring(address, code="two")

    login_by_browser(site.url, show=show)

    assert len(site.asked("/tokens/exchange")) == 1
    assert b'"one"' in site.asked("/tokens/exchange")[0].body


def test_who_denies_ends_it(site):
    with pytest.raises(NotConnected, match="denied"):
        login_by_browser(site.url, show=lambda address, _: bring(address, error="access_denied"))

    assert not site.asked("/tokens/exchange")


def test_nobody_answers(site, monkeypatch):
    monkeypatch.setattr(browser_login, "WAIT_SECONDS", 0.05)

    with pytest.raises(NotConnected, match="Nobody answered"):
        login_by_browser(site.url, show=lambda *_: None)


def test_a_code_that_the_service_refuses_says_so(site):
    site.tell("POST", "/tokens/exchange", refusal("NOT_FOUND", "This sign-in has ended.", status=404))

    with pytest.raises(NotFound, match="has ended"):
        login_by_browser(site.url, show=lambda address, _: bring(address, code="old"))


def test_a_service_without_the_page_is_told_before_any_browser_opens(desk):
    with pytest.raises(NotConnected, match="--token"):
        login_by_browser(desk.url, show=lambda *_: pytest.fail("opened"))


def test_a_service_that_is_away_is_told_before_any_browser_opens():
    with pytest.raises(ServiceAway):
        login_by_browser("http://127.0.0.1:9", show=lambda *_: pytest.fail("opened"))


def test_no_representation_shows_the_secrets():
    login = Login("http://a.example")

    assert login.verifier not in repr(login)
    assert login.state not in repr(login)


def test_the_address_at_which_another_computers_browser_ends_can_be_pasted(site, tmp_path):
    program = (
        "import sys; from instrument_data import browser_login as b; b.PAGE = sys.argv[2]\n"
        "print(b.login_by_browser(sys.argv[1], show=lambda a, p: print(a, flush=True), read_pasted=True))"
    )
    source = Path(__file__).parents[1] / "src"
    run = subprocess.Popen(
        [sys.executable, "-c", program, site.url, PAGE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(source)},
    )
    assert run.stdout is not None
    state = parse_qs(urlsplit(run.stdout.readline()).query)["state"][0]

    out, _ = run.communicate(f"what?\nhttp://127.0.0.1:1/callback?code=pasted&state={state}\n", timeout=60)

    assert (out, run.returncode) == ("ids_new\n", 0)
    assert b'"pasted"' in site.asked("/tokens/exchange")[0].body
