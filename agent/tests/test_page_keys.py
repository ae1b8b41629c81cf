"""What opens the page: signed texts, each good for one purpose and for a while."""

from pathlib import Path

import pytest

from instrument_watcher.local_page.keys import Purpose, Tickets, ensure_key, seconds_good, sign
from instrument_watcher.token_file import write_token

KEY = bytes(range(32))


def test_a_session_ends_after_twelve_hours():
    session = sign(KEY, Purpose.SESSION, at=1000)

    assert seconds_good(KEY, Purpose.SESSION, session, at=1000) == 12 * 3600
    assert seconds_good(KEY, Purpose.SESSION, session, at=1000 + 12 * 3600) == 0


def test_a_clock_that_was_set_back_makes_none_good_for_longer():
    assert seconds_good(KEY, Purpose.SESSION, sign(KEY, Purpose.SESSION, at=1_000_000), at=0) == 0


def test_a_ticket_is_no_session_and_another_key_opens_nothing():
    ticket = sign(KEY, Purpose.TICKET)

    assert seconds_good(KEY, Purpose.SESSION, ticket) == 0
    assert seconds_good(KEY[::-1], Purpose.TICKET, ticket) == 0


@pytest.mark.parametrize("text", ["", ".", "..", "9" * 400, "1.2.3", "é.ü.ß", "99999999999.00.", "inf.00.00"])
def test_what_nobody_signed_is_not_good(text: str):
    assert seconds_good(KEY, Purpose.TICKET, text) == 0


def test_a_signed_text_that_was_changed_is_not_good():
    ends_at, nonce, seal = sign(KEY, Purpose.SESSION).split(".")

    assert seconds_good(KEY, Purpose.SESSION, f"{int(ends_at) - 1}.{nonce}.{seal}") == 0


def test_a_ticket_is_used_once_and_within_a_minute():
    tickets, ticket = Tickets(KEY), sign(KEY, Purpose.TICKET, at=1000)

    assert tickets.use(ticket, at=1030)
    assert not tickets.use(ticket, at=1031)
    assert not tickets.use(sign(KEY, Purpose.TICKET, at=1000), at=1060)


def test_a_key_is_kept_and_one_that_is_damaged_is_made_anew(tmp_path: Path):
    place = tmp_path / "page-key"
    key = ensure_key(place)
    assert ensure_key(place) == key

    write_token(place, "not a key")

    assert len(ensure_key(place)) == 32
    assert ensure_key(place) != key
