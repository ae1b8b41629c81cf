"""What a browser makes of the white space in a page, for tests that look for a piece of markup."""

import re

from django.http import HttpResponse


def flat(answer: HttpResponse) -> str:
    """The page on one line: white space is one blank, and none at the edges of an element or between two tags."""
    page = re.sub(r"\s+", " ", answer.content.decode())
    page = re.sub(r"(<[a-z][^<>]*?) ?> ", r"\1>", page)
    return re.sub(r" (?=</|>)|(?<=>) (?=<)", "", page)


def address_of_run(run):
    return f"/instruments/{run.instrument_id}/runs/{run.run_id}"
