"""The issue tracker outside: GitHub's API, or one that speaks it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from accounts.integrations import IntegrationConnection
from feedback.errors import TrackerUnavailable

if TYPE_CHECKING:
    from github import Github

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Issue:
    number: int
    url: str
    is_closed: bool


def create_issue(connection: IntegrationConnection, *, title: str, body: str, label: str) -> Issue:
    """Raises TrackerUnavailable."""

    def create(client: Github) -> Issue:
        return _to_issue(client.get_repo(connection.target).create_issue(title, body=body, labels=[label]))

    return _call_tracker(connection, create)


def read_issue(connection: IntegrationConnection, *, repository: str, number: int) -> Issue:
    return _call_tracker(connection, lambda client: _to_issue(client.get_repo(repository).get_issue(number)))


def check_tracker(connection: IntegrationConnection) -> str:
    """The repository's name as the tracker spells it. Raises TrackerUnavailable where issues cannot be opened there."""

    def check(client: Github) -> str:
        repository = client.get_repo(connection.target)
        if not repository.has_issues:
            raise TrackerUnavailable(f"{repository.full_name} has no issues switched on.")
        return repository.full_name

    return _call_tracker(connection, check)


def _to_issue(issue: Any) -> Issue:
    url = str(issue.html_url)
    if not isinstance(issue.number, int):
        raise TrackerUnavailable("The tracker's answer names no issue.")
    return Issue(issue.number, url if url.startswith(("https://", "http://")) else "", issue.state == "closed")


def _call_tracker(connection: IntegrationConnection, ask: Callable[[Github], Answer]) -> Answer:
    answer: Answer = import_module("feedback.tracker_client").call_tracker(connection, ask)
    return answer
