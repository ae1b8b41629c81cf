"""Requests that nobody's browser would send, made from what pages and protocols ask for; the same ones in every run."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import quote, urlencode

HOSTILE_VALUES = (
    *(b"\x00", b"a\x00b", b"\x1b[2J", b"\xed\xa0\x80", b"\xff\xfe", b"\xc2\x85", "‮ẞ😀".encode()),
    *(b"", b" ", b"x" * 5_000, b"9" * 5_000, b"-1", b"0", b"99999", b"2147483648", b"9223372036854775808", b"1e400"),
    *(b"NaN", b"Infinity", b"0x10", "١٢٣".encode(), b"true", b"null", b"[]", b"{", b'{"a":', b"%", b"'", b'"><script>'),
    *(b"99999-01-01", b"0000-00-00", b"9999-12-31T23:59:59-14:00", b"10000-01-01T00:00:00Z", b"0001-01-01"),
    *(b"../../etc/passwd", b"//evil.example", b"javascript:alert(1)", b"http://[::1", b"https://a:99999/", b"*", b"\\"),
    *(b"00000000-0000-4000-8000-000000000000", b"_", b",,,", b"a,b", b"%00", b"{{ 7 }}", b"\r\nSet-Cookie: a=b"),
)
COMMON_PARAMETERS = (
    *("q", "page", "per_page", "sort", "status", "ranBy", "instrument_id", "next", "cursor", "from", "to", "tab"),
    *("kind", "offset", "limit", "anchor", "file_ids", "metadata", "search", "view", "versions", "category", "id"),
)
ADMIN_PARAMETERS = (
    *("q", "p", "o", "all", "e", "_facets", "_popup", "_to_field", "_changelist_filters", "id", "id__exact", "id__in"),
    *("pgh_created_at__year", "created_at__year", "created_at__month", "created_at__day", "created_at__gte"),
    *("pgh_created_at__gte", "timestamp__year", "action_time__year", "is_active__exact", "status__exact", "pk__range"),
    *("deleted_at__isempty", "created__year", "expires__gte", "user__id__exact", "instrument__id__exact"),
)
TYPED = ("text", "email", "url", "search")
FORM_TYPE = "application/x-www-form-urlencoded"


@dataclass(frozen=True)
class HostileRequest:
    """As it goes out; `content_type` and `headers` beside what a client sends by itself."""

    method: str
    path: str
    body: bytes = b""
    content_type: str = FORM_TYPE
    headers: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.method} {self.path[:300]} {self.content_type} {self.body[:300]!r} {self.headers}"


@dataclass(frozen=True)
class Form:
    method: str
    action: str
    fields: tuple[tuple[str, str], ...]
    texts: frozenset[str] = frozenset()  # the fields that people type into, passwords aside
    buttons: tuple[int, ...] = ()  # places among the fields: a browser sends the pressed one alone

    def press_after(self, name: str) -> list[tuple[str, str]]:
        """What the button sends that stands next after a field, or first of all."""
        typed = next(place for place, (other, _) in enumerate(self.fields) if other == name)
        pressed = next((place for place in self.buttons if place > typed), self.buttons[0] if self.buttons else None)
        return [pair for place, pair in enumerate(self.fields) if place not in self.buttons or place == pressed]


class FormFinder(HTMLParser):
    """The forms of a page, with the values that they would be sent with."""

    def __init__(self, page: str, *, path: str) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._path = path
        self._open: tuple[str, str, list[tuple[str, str]], set[str], list[int]] | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._open = (said.get("method", "get").upper(), said.get("action") or self._path, [], set(), [])
        elif self._open and said.get("name") and tag in ("input", "select", "textarea", "button"):
            if tag == "button":
                self._open[4].append(len(self._open[2]))
            self._open[2].append((said["name"], said.get("value", "")))
            if tag == "textarea" or (tag == "input" and said.get("type", "text") in TYPED):
                self._open[3].add(said["name"])

    def handle_endtag(self, tag: str) -> None:
        if tag == "form" and self._open:
            method, action, fields, texts, buttons = self._open
            self.forms.append(Form(method, action, tuple(fields), frozenset(texts), tuple(buttons)))
            self._open = None


def list_hostile_gets(path: str, names: tuple[str, ...], *, count: int) -> Iterator[HostileRequest]:
    """`count` requests of a page, each with one to three parameters that it may read."""
    chance = random.Random(path)
    for _ in range(count):
        pairs = [(chance.choice(names), chance.choice(HOSTILE_VALUES)) for _ in range(chance.randint(1, 3))]
        yield HostileRequest("GET", f"{path}?{urlencode(pairs)}")


def list_hostile_paths(pattern_parts: list[str], *, count: int) -> Iterator[HostileRequest]:
    """A path whose parameters (every second part) are hostile."""
    chance = random.Random("".join(pattern_parts))
    for _ in range(count if len(pattern_parts) > 1 else 0):
        parts = [quote(chance.choice(HOSTILE_VALUES)[:300]) if n % 2 else part for n, part in enumerate(pattern_parts)]
        yield HostileRequest(chance.choice(["GET", "POST"]), "".join(parts))


def list_hostile_posts(form: Form, *, count: int) -> Iterator[HostileRequest]:
    """The form as it is, then with fields that are hostile, left out, repeated, or of another form."""
    chance = random.Random(form.action + str([name for name, _ in form.fields]))
    pairs = [(name, value.encode()) for name, value in form.fields]
    yield submit_form(form, pairs)
    yield submit_form(form, [])
    for _ in range(count):
        changed = list(pairs)
        for _ in range(chance.randint(1, 3)):
            place = chance.randrange(len(changed) + 1)
            name = changed[place][0] if place < len(changed) else chance.choice(COMMON_PARAMETERS)
            match chance.randint(0, 5):
                case 0 if place < len(changed):
                    del changed[place]
                case 1:
                    changed.append((name, chance.choice(HOSTILE_VALUES)))
                case _:
                    changed[place : place + 1] = [(name, chance.choice(HOSTILE_VALUES))]
        yield submit_form(form, changed)


def submit_form(form: Form, pairs: Sequence[tuple[str, str | bytes]]) -> HostileRequest:
    sent = urlencode(pairs)
    path = form.action.partition("?")[0]
    if form.method == "GET":
        return HostileRequest("GET", f"{path}?{sent}")
    return HostileRequest("POST", form.action, sent.encode())
