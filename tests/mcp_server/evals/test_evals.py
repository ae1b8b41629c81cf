"""Questions of a laboratory, answered by a client that has the tools and nothing else."""

import os
from pathlib import Path
from statistics import median

import pytest
from django.core.management import call_command

from accounts.scopes import PRESETS
from tests.factories import make_token_with_text
from tests.mcp_server.assistants import Assistant
from tests.mcp_server.evals import laboratory, numbers, second_look
from tests.mcp_server.evals.questions import QUESTIONS, Client

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "evals.md"
BEGIN, END = "<!-- questions: made by tests/mcp_server/evals -->", "<!-- /questions -->"
TOPICS = (laboratory, numbers, second_look)


@pytest.mark.slow
@pytest.mark.django_db
def test_all_questions_have_exact_answers_in_few_calls():
    call_command("seed_demo", verbosity=0)
    assistant, rows, wrong = Assistant(make_token_with_text(*PRESETS["Read only"])[1]), [], {}

    for question in QUESTIONS:
        client = Client(assistant)
        answer, known = question.ask(client), question.known()
        rows.append((question.text, client))
        if answer != known:
            wrong[question.text] = (answer, known)

    assert wrong == {}
    assert len(QUESTIONS) >= 45
    assert median(len(client.tools) for _, client in rows) <= 3
    assert max(client.largest_bytes for _, client in rows) <= 20_000
    check_document(rows)


def check_document(rows):
    """Bytes change with ids and dates and are not in the table. With WRITE_EVALS=1 it is written anew."""
    lines = ["| Question | Calls | Tools |", "|---|---|---|"]
    for text, client in rows:
        tools = ", ".join(f"`{tool}`" for tool in dict.fromkeys(client.tools))
        lines.append(f"| {text} | {len(client.tools)} | {tools} |")
    document = DOCUMENT.read_text()
    before, _, rest = document.partition(BEGIN)
    made = "\n".join([f"{before}{BEGIN}", "", *lines, "", f"{END}{rest.partition(END)[2]}"])
    if os.environ.get("WRITE_EVALS"):
        DOCUMENT.write_text(made)
    assert document == made, "docs/evals.md is of another day: run this test with WRITE_EVALS=1"
