"""People in browsers and scripts with tokens who act at once on a service that runs."""

import hashlib
import re
import threading
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import psycopg
import requests

from tests.faults.checker import embedded_database
from tests.service import Service
from tests.sign_in import PASSWORD, sign_in

SCOPES = (
    "instruments:read,instruments:create,runs:read,runs:create,runs:update,runs:delete,runs:upload,runs:comment,"
    "runs:share,files:read,files:update,archive-jobs:write"
)
Result = TypeVar("Result")
Answer = requests.Response


def all_at_once(acts: list[Callable[[], Result]]) -> list[Result]:
    """What each of them gave, in their order."""
    start = threading.Barrier(len(acts))

    def one(act: Callable[[], Result]) -> Result:
        start.wait()
        return act()

    with ThreadPoolExecutor(len(acts)) as pool:
        return [begun.result() for begun in [pool.submit(one, act) for act in acts]]


class Caller:
    """A person with the cookies of their browser, or a token. Each call has a connection of its own."""

    def __init__(self, url: str, *, token: str = "", browser: requests.Session | None = None) -> None:
        self.url = url
        self.headers = {"Authorization": f"Bearer {token}"} if token else dict(browser.headers if browser else {})
        self.cookies = {name: value or "" for name, value in browser.cookies.items()} if browser else {}

    def rest(self, method: str, path: str, body: Any = None) -> Answer:
        return self._send(method, f"/api/v1{path}", json=body)

    def open(self, path: str) -> Answer:
        return self._send("GET", path)

    def post_form(self, path: str, form: dict[str, Any]) -> Answer:
        """As the page's own form: the secret of the cookie is in it."""
        return self._send("POST", path, data={"csrfmiddlewaretoken": self.cookies["csrftoken"]} | form)

    def _send(self, method: str, path: str, **more: Any) -> Answer:
        session = requests.Session()
        session.trust_env = False
        with session:
            return session.request(
                method,
                f"{self.url}{path}",
                headers=self.headers,
                cookies=self.cookies,
                allow_redirects=False,
                timeout=120,
                **more,
            )


class LiveLab:
    """A service, an admin, members and a script, and the database to age things and to look."""

    def __init__(self, service: Service) -> None:
        self.service, self.url = service, service.url
        self.admin = self.person("admin@halden.example", "--admin")
        self.member = self.person("member@halden.example")
        text = service.manage("create_token", "races", "--scopes", SCOPES).strip()
        self.script = Caller(self.url, token=text)

    def person(self, email: str, *options: str) -> Caller:
        return Caller(self.url, browser=sign_in(self.service, email, *options))

    def sign_in_again(self, email: str) -> Caller | None:
        """Through the form; None where it is refused."""
        browser, page = requests.Session(), f"{self.url}/accounts/login/"
        browser.trust_env = False
        hidden = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', browser.get(page, timeout=60).text)
        assert hidden is not None
        form = {"login": email, "password": PASSWORD, "csrfmiddlewaretoken": hidden[1]}
        answer = browser.post(page, data=form, headers={"Referer": page}, allow_redirects=False, timeout=120)
        assert answer.status_code < 500, answer.text[:500]
        if answer.status_code != 302 or "inactive" in answer.headers["Location"]:
            return None
        browser.headers.update({"Referer": self.url})
        return Caller(self.url, browser=browser)

    def instrument(self, name: str) -> str:
        answer = self.script.rest("POST", "/instruments", {"id": name})
        assert answer.ok, answer.text
        return name

    def run(self, instrument: str, name: str, files: dict[str, bytes]) -> str:
        """With these files stored; its path, the same for pages and REST."""
        path = f"/instruments/{instrument}/runs/{name}"
        made = self.script.rest("POST", f"/instruments/{instrument}/runs", {"run_id": name, "metadata": {"made": 1}})
        assert made.ok, made.text
        for filename, data in files.items():
            assert self.send(path, filename, data).ok
        return path

    def send(self, path: str, filename: str, data: bytes) -> Answer:
        """Asks, sends, confirms; the last answer, or the one that ended it."""
        about = {"filename": filename, "size_bytes": len(data), "crc32": f"{zlib.crc32(data):08x}"}
        about["sha256"] = hashlib.sha256(data).hexdigest()
        asked = self.script.rest("POST", f"{path}/request-upload-url", about)
        if not asked.ok or asked.json()["already_uploaded"]:
            return asked
        ticket = asked.json()
        put = requests.put(ticket["upload_url"], data=data, headers=ticket["headers"], timeout=120)
        if not put.ok:
            return put
        return self.script.rest("PATCH", f"/files/{ticket['file_id']}", {"status": "uploaded"})

    def ask(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """What the database answers; of a change, the rows that it returns."""
        with psycopg.connect(embedded_database(self.service.data)) as connection:
            found = connection.execute(statement, values)
            return found.fetchall() if found.description else []

    def list_faults(self) -> list[str]:
        """What reconcile, recount and verify_trail find wrong, and what broke."""
        found = []
        for command in (["reconcile", "--read"], ["recount", "--dry-run"], ["verify_trail"]):
            try:
                self.service.manage(*command)
            except AssertionError as error:
                found.append(f"{command[0]}: {error}")
        for log in (self.service.data / "logs").glob("*.log"):
            said = log.read_text(errors="replace")
            if "Traceback" in said:
                found.append(f"{log.name}: {said[max(0, said.index('Traceback') - 300) :][:3000]}")
        return found


def list_broken(answers: list[Answer]) -> list[str]:
    """Those that no caller may get."""
    return [f"{one.request.method} {one.url}: {one.status_code}" for one in answers if one.status_code >= 500]
