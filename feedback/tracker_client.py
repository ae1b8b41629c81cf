"""The vendor's own client of GitHub's API over bounded calls. It takes seven megabytes: only who calls imports it."""

from collections.abc import Callable
from typing import Any, TypeVar

import requests
from github import Auth, Github, GithubException
from github.Requester import HTTPRequestsConnectionClass, HTTPSRequestsConnectionClass, Requester

from accounts.integrations import IntegrationConnection
from feedback.errors import TrackerUnavailable
from wire.outgoing.http_client import TIMEOUT_SECONDS, BoundedAdapter, conversation

Answer = TypeVar("Answer")


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


def call_tracker(connection: IntegrationConnection, ask: Callable[[Github], Answer]) -> Answer:
    """Raises TrackerUnavailable."""
    client = Github(
        base_url=connection.base_url.rstrip("/"),
        auth=Auth.Token(connection.secret),
        timeout=int(TIMEOUT_SECONDS),
        lazy=True,  # a repository is asked for only where something of it is read
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
