"""Tokens are told what is left of their rate."""

import re
from dataclasses import replace

import pytest

from accounts import rate_limits as rates
from web import middleware

LIMIT = replace(rates.REQUESTS, max_hits=3, seconds=60)


@pytest.fixture(autouse=True)
def _few_requests(monkeypatch):
    monkeypatch.setattr(rates, "REQUESTS", LIMIT)
    monkeypatch.setattr(middleware, "REQUESTS", LIMIT)


def test_each_answer_to_a_token_tells_what_is_left(as_token):
    api = as_token()

    answers = [api.get("/api/v1/whoami") for _ in range(4)]

    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert {answer["RateLimit-Policy"] for answer in answers} == {'"requests";q=3;w=60'}
    told = [re.fullmatch(r'"requests";r=(\d+);t=(\d+)', answer["RateLimit"]) for answer in answers]
    assert [int(one[1]) for one in told if one] == [2, 1, 0, 0]
    assert all(one and int(one[2]) <= 60 for one in told)


def test_people_are_told_nothing_of_it(as_person):
    answer = as_person().get("/api/v1/whoami")

    assert answer.status_code == 200
    assert not answer.has_header("RateLimit")
