"""The log as server-sent events, asked as an ASGI server would."""

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from unittest.mock import Mock

import pytest
from django.db import InterfaceError, OperationalError, connections
from django.test import Client

from accounts.models import Token, User
from changes.models import Change
from instruments.models import Instrument
from tests.changes.test_log import add
from tests.factories import make_group, make_instrument, make_token_with_text, make_user
from web.stream import change_stream
from web.stream.change_stream import ChangeFeed, ChangeStream, build_stream_lane
from web.stream.route import wants_stream
from wire.errors import Forbidden, ServiceError, Unauthorized

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _no_connection_is_left():
    yield
    change_stream._thread.submit(connections.close_all).result()


@dataclass
class Listening:
    """What one listener was sent."""

    gone: asyncio.Event = field(default_factory=asyncio.Event)
    status: int | None = None
    text: str = ""
    news: asyncio.Event = field(default_factory=asyncio.Event)

    async def receive(self):
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message):
        if message["type"] == "http.response.start":
            self.status = message["status"]
        self.text += message.get("body", b"").decode()
        self.news.set()

    async def until(self, part):
        async with asyncio.timeout(60):
            while part not in self.text:
                self.news.clear()
                await self.news.wait()

    @property
    def events(self):
        return [json.loads(line[6:]) for line in self.text.splitlines() if line.startswith("data: ")]


def scope_of(text="", query="", **headers):
    named = {"accept": "text/event-stream"} | ({"authorization": f"Bearer {text}"} if text else {})
    given = named | {name.replace("_", "-"): value for name, value in headers.items()}
    return {
        "type": "http",
        "method": "GET",
        "path": "/api/v1/changes",
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
        "client": ("127.0.0.1", 1),
    }


@asynccontextmanager
async def listening(stream, scope):
    listener = Listening()
    task = asyncio.create_task(stream(scope, listener.receive, listener.send))
    try:
        await listener.until(": changes")
        yield listener
    finally:
        listener.gone.set()
        await task


def quick_stream():
    return ChangeStream(ChangeFeed(poll_seconds=0.02), silence_seconds=0.1)


def in_thread(act):
    return asyncio.get_running_loop().run_in_executor(None, lambda: (act(), connections.close_all())[0])


def test_what_was_and_what_comes_is_told_once_and_in_order():
    _, text = make_token_with_text("runs:read")
    before = add("run.created")

    async def listen():
        async with listening(quick_stream(), scope_of(text)) as listener:
            await listener.until(f"id: {before}\n")
            after = await in_thread(lambda: add("run.deleted"))
            await listener.until(f"id: {after}\n")
            return after, listener.events

    after, events = asyncio.run(listen())

    assert [(event["position"], event["type"]) for event in events] == [
        (before, "run.created"),
        (after, "run.deleted"),
    ]


def test_who_comes_back_goes_on_behind_the_last_event():
    _, text = make_token_with_text("runs:read")
    seen, missed = add(), add()

    async def listen():
        async with listening(quick_stream(), scope_of(text, "after=0", last_event_id=str(seen))) as listener:
            await listener.until(f"id: {missed}\n")
            return listener.events

    assert [event["position"] for event in asyncio.run(listen())] == [missed]


def last_id(text):
    return int([line[4:] for line in text.splitlines() if line.startswith("id: ")][-1])


def test_who_comes_back_before_anything_was_told_misses_nothing():
    """`after=now` alone would begin at the end again."""
    _, text = make_token_with_text("runs:read")
    seen = add()

    async def listen():
        async with listening(quick_stream(), scope_of(text, "after=now")) as first:
            await first.until("id: ")
        missed = await in_thread(add)
        again = scope_of(text, "after=now", last_event_id=str(last_id(first.text)))
        async with listening(quick_stream(), again) as listener:
            await listener.until(f"id: {missed}\n")
            return first.text, missed, listener.events

    told, missed, events = asyncio.run(listen())

    assert last_id(told) == seen
    assert [event["position"] for event in events] == [missed]


def test_who_hears_seldom_keeps_up_with_the_log_all_the_same():
    """Else its position is forgotten with the beginning of the log, and it is refused when it comes back."""
    _, text = make_token_with_text("runs:read")

    async def listen():
        async with listening(quick_stream(), scope_of(text, "after=now&types=run.failed")) as listener:
            passed = await in_thread(lambda: add("run.created"))
            await listener.until(f": still here\nid: {passed}\n\n")
            return listener.events

    assert asyncio.run(listen()) == []


def test_a_stream_says_that_it_lives_once_it_was_silent_for_so_long():
    """Not with each look at the log, of which there are two a second, to 1,500 listeners."""
    _, text = make_token_with_text("runs:read")
    stream = ChangeStream(ChangeFeed(poll_seconds=0.02), silence_seconds=60)

    async def listen():
        async with listening(stream, scope_of(text, "after=now")) as listener:
            await listener.until(": changes")
            await asyncio.sleep(0.5)
            heard = await in_thread(add)
            await listener.until(f"id: {heard}\n")
            return heard, listener.text

    heard, told = asyncio.run(listen())

    assert f"id: {heard}\n" in told
    assert "still here" not in told


def test_who_hears_nothing_of_much_that_happens_is_told_that_the_stream_lives():
    _, text = make_token_with_text("runs:read")
    stream = ChangeStream(ChangeFeed(poll_seconds=0.02), silence_seconds=1)

    async def listen():
        async with listening(stream, scope_of(text, "after=now&types=run.failed")) as listener:
            async with asyncio.timeout(60):
                while "still here" not in listener.text:
                    await in_thread(add)
            return listener.text

    assert "data:" not in asyncio.run(listen())


def test_a_stream_is_silent_for_15_seconds_at_most():
    _, text = make_token_with_text("runs:read")
    waits = []

    class Feed(ChangeFeed):
        async def wait_behind(self, position, *, seconds):
            waits.append(seconds)
            return await super().wait_behind(position, seconds=0.01)

    async def listen():
        async with listening(ChangeStream(Feed()), scope_of(text, "after=now")) as listener:
            await listener.until(": changes")
            async with asyncio.timeout(60):
                while len(waits) < 2:
                    await asyncio.sleep(0.01)

    asyncio.run(listen())

    assert 15 >= waits[0] > waits[1] > 5  # less than is set by as long as the machine stood still


def test_a_silent_stream_says_that_it_lives():
    _, text = make_token_with_text("runs:read")

    async def listen():
        async with listening(quick_stream(), scope_of(text, "after=now")) as listener:
            await listener.until(": still here")
            return listener.status, listener.events

    assert asyncio.run(listen()) == (200, [])


@pytest.mark.parametrize("lose", ["group", "visibility", "admin"])
def test_who_may_see_no_more_hears_nothing_of_what_comes_then(lose):
    """Of the very next change on, however long the stream has been open."""
    reader = make_instrument(id="reader-1", visibility="everyone" if lose == "visibility" else "groups")
    person = make_user(is_admin=lose == "admin")
    group = make_group(*([person] if lose == "group" else []), instruments=[reader])
    make_instrument(id="reader-2")

    def lose_it():
        group.memberships.all().delete()
        Instrument.objects.filter(pk="reader-1").update(visibility="groups")
        User.objects.filter(pk=person.pk).update(is_admin=False)
        return [add("run.deleted", "reader-1"), add("run.deleted", "reader-2")]

    async def listen():
        scope = await in_thread(lambda: scope_of(query="after=now", cookie=session_cookie(person)))
        async with listening(quick_stream(), scope) as listener:
            first = await in_thread(lambda: add("run.created", "reader-1"))
            await listener.until(f"id: {first}\n")
            _, last = await in_thread(lose_it)
            await listener.until(f"id: {last}\n")
            return listener.events

    assert [event["instrument_id"] for event in asyncio.run(listen())] == ["reader-1", "reader-2"]


def test_who_loses_sight_while_the_log_is_read_for_them_hears_nothing_of_it(monkeypatch):
    """Who is behind what is remembered reads the log by themselves; sight may be lost right before that."""
    reader, person = make_instrument(id="reader-1", visibility="groups"), make_user()
    group = make_group(person, instruments=[reader])
    make_instrument(id="reader-2")
    add("run.created", "reader-1")
    last = add("run.created", "reader-2")
    read_changes, lost = change_stream.read_changes, []

    def lose_sight_and_read(**asked):
        if not lost:
            group.memberships.all().delete()
            lost.append(add("run.deleted", "reader-1"))
        return read_changes(**asked)

    async def listen():
        scope = await in_thread(lambda: scope_of(query="after=0", cookie=session_cookie(person)))
        async with listening(quick_stream(), scope) as listener:
            await listener.until(f"id: {last}\n")
            after = await in_thread(lambda: add("run.deleted", "reader-2"))
            await listener.until(f"id: {after}\n")
            return listener.events

    monkeypatch.setattr(change_stream, "read_changes", lose_sight_and_read)
    heard = asyncio.run(listen())

    assert lost
    assert [event["instrument_id"] for event in heard] == ["reader-2", "reader-2"]


def session_cookie(person):
    client = Client()
    client.force_login(person, backend="allauth.account.auth_backends.AuthenticationBackend")
    return f"sessionid={client.cookies['sessionid'].value}"


def test_a_filter_and_a_bound_token_hear_their_part_only():
    _, text = make_token_with_text("runs:read", instrument_ids=["reader-1"])

    async def listen():
        async with listening(quick_stream(), scope_of(text, "after=now&types=run.deleted")) as listener:
            await in_thread(lambda: [add("run.deleted", "reader-2"), add("run.created", "reader-1")])
            last = await in_thread(lambda: add("run.deleted", "reader-1"))
            await listener.until(f"id: {last}\n")
            return last, listener.events

    last, events = asyncio.run(listen())

    assert [event["position"] for event in events] == [last]


def test_many_listeners_cost_one_poll_and_no_thread_each():
    _, text = make_token_with_text("runs:read")
    stream = quick_stream()

    async def listen():
        listeners = [Listening() for _ in range(200)]
        scope = scope_of(text, "after=now")
        tasks = [asyncio.create_task(stream(scope, one.receive, one.send)) for one in listeners]
        await asyncio.gather(*(one.until(": changes") for one in listeners))
        last = await in_thread(add)
        await asyncio.gather(*(one.until(f"id: {last}\n") for one in listeners))
        for one in listeners:
            one.gone.set()
        await asyncio.gather(*tasks)
        return [len(one.events) for one in listeners]

    assert asyncio.run(listen()) == [1] * 200


def test_a_revoked_token_hears_nothing_more(monkeypatch):
    monkeypatch.setattr(change_stream, "RECHECK_SECONDS", 0.0)
    token, text = make_token_with_text("runs:read")
    listener = Listening()

    async def listen():
        task = asyncio.create_task(quick_stream()(scope_of(text, "after=now"), listener.receive, listener.send))
        await listener.until(": changes")
        await in_thread(lambda: Token.objects.filter(pk=token.pk).delete())
        async with asyncio.timeout(60):
            await task

    asyncio.run(listen())

    assert listener.status == 200


@pytest.mark.parametrize(
    ("scopes", "query", "headers", "refusal"),
    [
        (None, "", {}, Unauthorized),
        (["files:read"], "", {}, Forbidden),
        (["runs:read"], "after=x", {}, ServiceError),
        (["runs:read"], "", {"last_event_id": "0x1"}, ServiceError),
        (["runs:read"], "after=999999999", {}, ServiceError),
        (["runs:read"], "types=run.sneezed", {}, ServiceError),
        (None, "", {"cookie": "sessionid=nonsense"}, Unauthorized),
    ],
)
def test_refusals_come_before_anything_is_sent(scopes, query, headers, refusal):
    text = make_token_with_text(*scopes)[1] if scopes else ""
    listener = Listening()

    with pytest.raises(refusal):
        asyncio.run(quick_stream()(scope_of(text, query, **headers), listener.receive, listener.send))

    assert (listener.status, listener.text) == (None, "")


def test_a_person_listens_with_the_session(client):
    client.force_login(make_user(), backend="allauth.account.auth_backends.AuthenticationBackend")
    cookie = f"sessionid={client.cookies['sessionid'].value}"

    async def listen():
        async with listening(quick_stream(), scope_of(query="after=now", cookie=cookie)) as listener:
            return listener.status

    assert asyncio.run(listen()) == 200


def test_a_look_at_its_headers_ends():
    _, text = make_token_with_text("runs:read")
    listener, feed = Listening(), ChangeFeed()

    async def look():
        async with asyncio.timeout(60):
            await ChangeStream(feed)(scope_of(text) | {"method": "HEAD"}, listener.receive, listener.send)

    asyncio.run(look())

    assert (listener.status, listener.text, feed._listeners) == (200, "", 0)


def test_only_who_asks_for_events_is_sent_there():
    assert wants_stream(scope_of())
    assert wants_stream(scope_of() | {"method": "HEAD"})
    assert not wants_stream(scope_of() | {"method": "POST"})
    assert not wants_stream(scope_of(accept="application/json"))
    assert not wants_stream(scope_of() | {"path": "/api/v1/changes/"})
    assert build_stream_lane().takes is wants_stream


def test_what_is_remembered_goes_as_far_back_as_it_says(monkeypatch):
    monkeypatch.setattr(change_stream, "REMEMBERED", 2)
    feed = ChangeFeed()
    rows = [Change(position=number, type="run.created", at=None, instrument_id="r") for number in (1, 2, 3)]

    feed._take(rows)

    assert [told.change.position for told in feed.remembered_behind(feed.start) or []] == [2, 3]
    assert feed.remembered_behind(0) is None


@pytest.mark.parametrize("fault", [InterfaceError, OperationalError])
def test_who_listens_hears_on_after_the_database_was_away(monkeypatch, fault):
    _, text = make_token_with_text("runs:read")
    read_news, faults = change_stream.read_news, [fault("the connection is closed")]

    def read(*, after):
        if faults:
            raise faults.pop()
        return read_news(after=after)

    async def listen():
        async with listening(quick_stream(), scope_of(text, "after=now")) as listener:
            monkeypatch.setattr(change_stream, "read_news", read)
            await listener.until(": still here")
            position = await in_thread(add)
            await listener.until(f"id: {position}\n")
            return position, listener.events

    position, events = asyncio.run(listen())

    assert (faults, [event["position"] for event in events]) == ([], [position])


def test_a_listener_that_could_not_begin_is_not_counted(monkeypatch):
    _, text = make_token_with_text("runs:read")
    feed, listener = ChangeFeed(poll_seconds=0.02), Listening()
    monkeypatch.setattr(change_stream, "read_end", Mock(side_effect=[0, OperationalError("the connection is lost")]))

    with pytest.raises(OperationalError):
        asyncio.run(ChangeStream(feed)(scope_of(text), listener.receive, listener.send))

    assert feed._listeners == 0
