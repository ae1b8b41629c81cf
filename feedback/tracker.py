"""The issue tracker outside: GitHub's API, or one that speaks it, by the vendor's own client over bounded calls."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import requests
from github import Auth, Github, GithubException
from github.Requester import HTTPRequestsConnectionClass, HTTPSRequestsConnectionClass, Requester

from accounts.integrations import IntegrationConnection
from wire.errors import ServiceError
from wire.http_client import TIMEOUT_SECONDS, BoundedAdapter, conversation

Answer = TypeVar("Answer")


class TrackerUnavailable(ServiceError):
    status, code = 502, "TRACKER_UNAVAILABLE"


class BoundedConnectionMixin:
    """Mixed into the client's connections: its calls go out as all of ours do."""

    session: requests.Session

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for scheme in ("https://", "http://"):
            self.session.mount(scheme, BoundedAdapter())


class BoundedHttps(BoundedConnectionMixin, HTTPSRequestsConnectionClass):
    pass


class BoundedHttp(BoundedConnectionMixin, HTTPRequestsConnectionClass):
    pass


Requester.injectConnectionClasses(BoundedHttp, BoundedHttps)


@dataclass(frozen=True)
class Issue:
    number: int
    url: str
    is_closed: bool


def create_issue(connection: IntegrationConnection, *, title: str, body: str, label: str) -> Issue:
    """Raises TrackerUnavailable."""

    def create(client: Github) -> Issue:
        return _to_issue(client.get_repo(connection.target, lazy=True).create_issue(title, body=body, labels=[label]))

    return _call_tracker(connection, create)


def read_issue(connection: IntegrationConnection, *, repository: str, number: int) -> Issue:
    return _call_tracker(connection, lambda client: _to_issue(client.get_repo(repository, lazy=True).get_issue(number)))


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
    client = Github(
        base_url=connection.base_url.rstrip("/"),
        auth=Auth.Token(connection.secret),
        timeout=int(TIMEOUT_SECONDS),
        retry=None,
        seconds_between_requests=None,
        seconds_between_writes=None,
        user_agent="instrument-data-service",
    )
    try:
        with conversation():
            return ask(client)
    except GithubException as refused:
        raise TrackerUnavailable(f"The tracker refused: {_describe_refusal(refused)}.") from None
    except (requests.RequestException, ValueError, KeyError, AttributeError, TypeError, AssertionError) as fault:
        raise TrackerUnavailable(f"The tracker does not answer as it should ({type(fault).__name__}).") from None


def _describe_refusal(refused: GithubException) -> str:
    known = {401: "the token is not accepted", 403: "the token may not do this", 404: "the repository is not there"}
    return known.get(refused.status, f"status {refused.status}")
