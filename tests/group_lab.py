"""The callers of two groups, every route of the service, and what is told of one group to the other."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.parse import quote

import pytest
from django.core.cache import cache
from django.db import connection, transaction

from accounts.access import Access
from accounts.callers import Caller, caller_for_token, caller_for_user
from dashboard.templatetags import parts
from dashboard.templatetags.parts import format_elapsed
from tests.clients import Api
from tests.factories import make_token_with_text, make_user
from tests.group_worlds import Names, People, plant
from tests.mcp_server.assistants import Assistant
from tests.mcp_server.oauth_flow import access_token
from web.routes import all_routes, is_page, rest_routes
from wire.clock import now
from wire.errors import ServiceError

OURS, THEIRS = Names("zebrafish", 1), Names("quagga", 2)
PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")
NIL = "00000000-0000-4000-8000-000000000000"
CONSTANT = {  # parameters of paths that are the same for every group
    "user_id": NIL, "release_id": 999_999_999, "tag": "a-tag", "key": "a-key", "start": 0, "length": 10,
    "kind": "chat", "system": "tar", "rule_id": NIL,
}  # fmt: skip
QUERIES = {"/report-items": "?kind=image", "/dataset-rows": "?name=absorbance"}  # what must be said
HIDES = {  # and those that name what a group hides
    *("instrument_id", "run_id", "file_id", "comment_id", "watcher_id", "dataset_id", "job_id", "project_id"),
    *("view_id", "group_id", "notification_id", "signature_id", "link_id"),
}
NOISE = [
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"), "ID"),
    (re.compile(r'name="csrfmiddlewaretoken" value="[^"]*"'), ""),
    (re.compile(r'"(next|position|oldest_seconds|oldest)": ?\d+'), ""),  # places in the one log of all, and ages
    (re.compile(r'W/\\*"[0-9a-f.]+'), "VERSION"),
    (re.compile(r"expires=\d+|signature=\w+"), "SIGNED"),
    (re.compile(r'<code class="any">[A-Z2-7]{32}</code>|base64,[\w+/=]+'), "SECRET"),  # a second factor on offer
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:[\d.]+(Z|\+00:00)?"), "TIME"),
    (re.compile(r">\d\d:\d\d:\d\d</time>"), ">TIME</time>"),
]
NOTED = {"accounts_session", "accounts_token", "notifications_notification"}  # who asked when; what was read
COUNT_WRITES_SQL = "SELECT relname, n_tup_ins + n_tup_upd + n_tup_del FROM pg_stat_xact_user_tables"
BLIND = ["member", "manager", "token"]  # to what the other group has
Route = tuple[str, str, Access]
Answer = tuple[int, str]
Answers = dict[str, Answer]


class Lab:
    """`member`, `manager` and `token` are of our group, which has its rows; `other` is of theirs."""

    def __init__(self) -> None:
        self.people = People(make_user(), make_user(), make_user(), make_user(is_admin=True))
        plant(OURS, members=[self.people.member], managers=[self.people.manager], people=self.people)
        self.token, self.text = make_token_with_text(name="ours", instrument_ids=[OURS.instrument])

    def plant_theirs(self) -> None:
        self.without_theirs = transaction.savepoint()
        plant(THEIRS, members=[self.people.other], managers=[], people=self.people)

    def find_differences(self, before: Answers, after: Answers, ask: Callable[[list[str]], Answers]) -> list[str]:
        """What differs, and differs again when it is asked again: the clock alone ("a minute ago") does so once."""
        suspects = [asked for asked in before if before[asked] != after[asked]]
        if not suspects:
            return []
        transaction.savepoint_rollback(self.without_theirs)
        again = ask(suspects)
        before = {asked: again[asked] for asked in suspects}
        self.plant_theirs()
        return list(find_differences(before, ask(suspects)))

    def api(self, who: str) -> Api:
        return Api(token=self.token, text=self.text) if who == "token" else Api(user=getattr(self.people, who))

    def caller(self, who: str) -> Caller:
        return caller_for_token(self.token) if who == "token" else caller_for_user(getattr(self.people, who))

    def assistant(self, who: str) -> Assistant:
        return Assistant(self.text if who == "token" else access_token(getattr(self.people, who)))


def hold_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages say "8 min ago" as of now, or a minute that ends between two looks would tell them apart."""
    at = now()
    monkeypatch.setattr(parts, "format_elapsed", lambda moment, _: format_elapsed(moment, at))


def list_routes(*methods: str) -> list[Route]:
    """A list, for the first request of a route changes what it says of its methods."""
    return [
        (method, f"/{path}", view.access[action])
        for path, view, method, action in rest_routes()
        if method in methods and isinstance(view.access.get(action), Access)
    ]


def list_pages() -> list[Route]:
    return [("GET", f"/{path}", view.access) for path, view in all_routes() if is_page(view)]


def fill(path: str, names: Names) -> str:
    values = CONSTANT | names.path_values
    asked = next((query for end, query in QUERIES.items() if path.endswith(end)), "")
    return PARAMETER.sub(lambda found: quote(str(values[found[1]]), safe=""), path) + asked


def is_beneath(path: str) -> bool:
    return not HIDES.isdisjoint(PARAMETER.findall(path))


def refusal(access: Access, caller: Caller) -> int:
    """What a route answers of a row that is not there."""
    try:
        access.check(caller)
    except ServiceError as refused:
        return refused.status
    return 404


def without_noise(text: str) -> str:
    for pattern, instead in NOISE:
        text = pattern.sub(instead, text)
    return text


def send(api: Api, method: str, path: str, body: Any = None) -> Answer:
    """The status and all that is told, of a request that is undone: each finds what the first one found."""
    point = transaction.savepoint()
    answer = api.send(method, path, body)
    told = answer.getvalue().decode("utf-8", "replace")
    transaction.savepoint_rollback(point)
    return answer.status_code, without_noise(f"{answer.get('Location', '')}\n{told}")


def send_form(api: Api, path: str, given: dict[str, str]) -> Answer:
    """A form, undone, and the notice that it left for the next page."""
    cache.clear()
    point = transaction.savepoint()
    answer = api.client.post(path, given, headers=api.headers)
    told = answer.getvalue()
    if answer.status_code == 302:
        told += api.client.get("/settings/profile").getvalue()
    transaction.savepoint_rollback(point)
    return answer.status_code, without_noise(f"{answer.get('Location', '')}\n{told.decode('utf-8', 'replace')}")


def ask_all(api: Api, addresses: Iterable[str]) -> Answers:
    cache.clear()
    return {address: send(api, "GET", address) for address in addresses}


def count_writes() -> dict[str, int]:
    """How often each table was written in this transaction, undone or not."""
    with connection.cursor() as cursor:
        cursor.execute(COUNT_WRITES_SQL)
        return {name: count for name, count in cursor.fetchall() if name not in NOTED}


def find_leaks(answers: Answers, names: Names) -> list[str]:
    """The answers that have the word of a group, though nothing of it was asked for."""
    return [
        f"{asked}: …{text[max(0, found.start() - 80) : found.end() + 80]}…"
        for asked, (_, text) in answers.items()
        if names.word not in asked and (found := re.search(names.word, text, re.IGNORECASE))
    ]


def find_differences(before: Answers, after: Answers) -> Iterator[str]:
    for asked in before:
        if before[asked] != after[asked]:
            (status, text), (status_now, text_now) = before[asked], after[asked]
            pairs = enumerate(zip(text, text_now, strict=False))
            place = next((n for n, (a, b) in pairs if a != b), min(len(text), len(text_now)))
            shown = slice(max(0, place - 60), place + 60)
            yield f"{asked}: {status} → {status_now} {text[shown]!r} → {text_now[shown]!r}"
