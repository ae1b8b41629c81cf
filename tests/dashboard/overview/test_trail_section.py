"""What Settings, Integrity says of the trail."""

import json
import re
from html import unescape

import pytest

from accounts.trail.sealing import seal_trail
from accounts.trail.verification import parse_heads, verify_heads
from tests.factories import make_run, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client):
    client.force_login(make_user(is_admin=True))
    return lambda: client.get("/settings/integrity").content.decode()


def test_the_heads_that_are_shown_are_those_that_verify_trail_takes(page):
    assert "Nothing was sealed yet" in page()
    make_run()
    seal_trail()

    shown = page()

    lines = unescape(re.search(r"<pre[^>]*>(.*?)</pre>", shown, re.DOTALL)[1]).splitlines()
    assert {json.loads(line)["kind"] for line in lines} >= {"run", "instrument"}
    assert list(verify_heads(parse_heads(lines))) == []
    assert "verify_trail --heads heads.jsonl" in shown
