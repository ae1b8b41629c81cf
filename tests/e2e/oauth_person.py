"""A person at a browser, and the tokens that their AI client keeps."""

import re
from collections.abc import Callable
from html import unescape
from urllib.parse import parse_qs, urljoin, urlsplit

import requests
from mcp.client.auth import AuthorizationCodeResult
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken

HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)"(?: value="([^"]*)")?')
POSTING = re.compile(r'<form[^>]* method="post".*?</form>', re.DOTALL)
REDIRECT = "http://127.0.0.1:33418/callback"


class Person:
    """Signs in where asked, reads the consent page, and allows or denies."""

    def __init__(self, url: str, *, email: str, password: str) -> None:
        self.url, self.email, self.password = url, email, password
        self.browser = requests.Session()
        self.seen: list[str] = []  # the consent pages
        self.allows = True
        self.change: Callable[[str], str] = lambda address: address  # what the address of the next request becomes
        self.landed = ""

    async def open(self, address: str) -> None:
        """The client's redirect_handler."""
        page = self.browser.get(self.change(address), timeout=60)
        if "/accounts/login/" in page.url:
            page = self.submit(page, login=self.email, password=self.password)
        self.seen.append(page.text)
        answer = self.submit(page, **({"allow": "true"} if self.allows else {}))
        self.landed = answer.headers["Location"]

    async def come_back(self) -> AuthorizationCodeResult:
        """The client's callback_handler: what the browser brought to its redirect address."""
        query = {name: values[0] for name, values in parse_qs(urlsplit(self.landed).query).items()}
        return AuthorizationCodeResult(code=query.get("code", ""), state=query.get("state"), iss=query.get("iss"))

    def submit(self, page: requests.Response, **fields: str) -> requests.Response:
        """Send the page's first form that posts; stops at an address that is the client's."""
        form = POSTING.search(page.text, page.text.index("<main"))
        assert form, f"{page.url} asks for nothing."
        hidden = {name: unescape(value) for name, value in HIDDEN.findall(form[0])}
        target = re.match(r'<form[^>]* action="([^"]*)"', form[0])
        place = urljoin(page.url, unescape(target[1])) if target else page.url
        answer = self.browser.post(
            place, data=hidden | fields, headers={"Referer": page.url}, timeout=60, allow_redirects=False
        )
        while answer.is_redirect and answer.headers["Location"].startswith(("/", self.url)):
            answer = self.browser.get(
                urljoin(answer.url, answer.headers["Location"]), timeout=60, allow_redirects=False
            )
        return answer


class Keeper:
    """The client's storage."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info
