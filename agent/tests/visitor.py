"""Somebody at the instrument's computer who looks at the agent's page, with the key or without."""

from typing import Any
from urllib.parse import urlsplit

import requests

from agent.tests.lab import Lab, wait_until


def page_address(lab: Lab) -> str:
    """Where the running agent shows its page."""
    place = lab.home / "page-address"
    return str(wait_until(lambda: place.exists() and place.read_text("ascii").strip(), what="the page is shown"))


class Visitor:
    """One browser: keeps cookies, and sends forms as the page would."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._session = requests.Session()

    def get(self, path: str = "/", **headers: str) -> requests.Response:
        return self._session.get(self.address + path, headers=headers, timeout=30, allow_redirects=False)

    def post(self, path: str, *, origin: str | None = None, **fields: Any) -> requests.Response:
        headers = {"Origin": self.address if origin is None else origin}
        return self._session.post(self.address + path, data=fields, headers=headers, timeout=30, allow_redirects=False)

    def page(self) -> str:
        answer = self.get()
        assert answer.status_code == 200, answer.text
        return answer.text


def let_in(lab: Lab) -> Visitor:
    """Somebody who used the address that `open` gives."""
    address = urlsplit(lab.json("open")["address"])
    visitor = Visitor(f"{address.scheme}://{address.netloc}")
    assert visitor.get(f"{address.path}?{address.query}").status_code == 303
    return visitor
