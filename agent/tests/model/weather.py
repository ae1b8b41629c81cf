"""The way to the service in memory, and what becomes of a call on it."""

import json
from collections.abc import Callable

import httpx

from agent.tests.model.pretend import No, Pretend, etag_of


class Weather:
    """What the way to the service is like, call by call. `next` names what a passage does to a call: nothing where it
    is empty."""

    def __init__(self) -> None:
        self.next: Callable[[], str] = lambda: ""


class Passage(httpx.BaseTransport):
    """`meanwhile` is called before and after each call: others act then."""

    def __init__(self, pretend: Pretend, weather: Weather, *, meanwhile: Callable[[str], None]) -> None:
        self._pretend, self._weather, self._meanwhile = pretend, weather, meanwhile

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self._meanwhile("before a call")
        self._pretend.asked.append((request.method, request.url.raw_path.decode()))
        fault = self._weather.next()
        if fault == "away":
            raise httpx.ConnectError("nobody listens")
        if fault.isdigit():
            return httpx.Response(int(fault), headers={"Retry-After": "3"}, text="<h1>Maintenance</h1>")
        answer = self._put(request, fault) if request.url.host == "store" else self._call(request)
        self._meanwhile("after a call")
        if fault == "lost":
            raise httpx.ReadError("the answer was lost")
        return answer

    def _call(self, request: httpx.Request) -> httpx.Response:
        content = request.read()
        try:
            target = request.url.raw_path.decode()
            return httpx.Response(200, json=self._pretend.answer(request.method, target, json.loads(content or "{}")))
        except No as no:
            return httpx.Response(no.status, json=no.body)

    def _put(self, request: httpx.Request, fault: str) -> httpx.Response:
        data = b""
        for piece in request.stream:  # type: ignore[union-attr]  # of a client that does not await
            data += piece
            if fault == "cut":
                raise httpx.WriteError("cut")
        return httpx.Response(self._pretend.put(request.url.path, data), headers={"ETag": etag_of(data)})
