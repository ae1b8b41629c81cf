"""Direct messages in the workspace's chat (Slack's API), to the account that has the person's e-mail address."""

import json
from datetime import timedelta
from typing import Any
from urllib.request import Request

import requests
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError

from accounts.integrations import IntegrationConnection
from wire.outgoing.http_client import LostAnswer, bounded_session, conversation

UNKNOWN_PERSON_ERRORS = {"users_not_found", "user_not_found", "cannot_dm_bot", "user_disabled", "account_inactive_user"}
BAD_CONNECTION_ERRORS = {
    *("invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired", "missing_scope"),
    *("no_permission", "org_login_required", "ekm_access_denied", "access_denied", "not_allowed_token_type"),
}


class ChatSendFailed(Exception):
    """Why a message did not go out.

    `is_final`: trying again would change nothing. `is_connection_fault`: the connection is at fault, not the person.
    `is_away`: no message gets through for now. `may_be_there`: it went out, only the answer is missing.
    `wait`: as long as the chat asked for.
    """

    def __init__(
        self,
        reason: str,
        *,
        is_final: bool = False,
        is_connection_fault: bool = False,
        is_away: bool = False,
        may_be_there: bool = False,
        wait: timedelta | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason, self.is_final, self.is_connection_fault = reason, is_final, is_connection_fault
        self.is_away, self.may_be_there, self.wait = is_away, may_be_there, wait


class BoundedSlackClient(WebClient):
    """The vendor's client over our own bounded calls."""

    def _perform_urllib_http_request_internal(self, url: str, req: Request) -> dict[str, Any]:
        body = req.data if isinstance(req.data, bytes) else None
        with bounded_session() as session:
            answer = session.request(
                req.get_method(), url, data=body, headers=dict(req.header_items()), allow_redirects=False
            )
        return {"status": answer.status_code, "headers": answer.headers, "body": answer.text}


def send_direct_message(connection: IntegrationConnection, *, email: str, text: str) -> None:
    """Raises ChatSendFailed."""

    def send(client: WebClient) -> None:
        found = client.users_lookupByEmail(email=email)
        client.chat_postMessage(
            channel=found["user"]["id"], text=escape_markup(text), unfurl_links=False, unfurl_media=False
        )

    _call_chat(connection, send)


def check_chat(connection: IntegrationConnection) -> str:
    """The name of the workspace that answers. Raises ChatSendFailed."""
    return str(_call_chat(connection, lambda client: client.auth_test()["team"]))


def escape_markup(text: str) -> str:
    """Nothing a script or a comment says becomes a mention or a link of its own naming."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _call_chat(connection: IntegrationConnection, ask: Any) -> Any:
    base_url = connection.base_url.rstrip("/") + "/"
    client = BoundedSlackClient(token=connection.secret, base_url=base_url, retry_handlers=[])
    try:
        with conversation():
            return ask(client)
    except SlackApiError as refused:
        raise _to_send_failure(refused) from None
    except (SlackClientError, requests.RequestException, json.JSONDecodeError, KeyError, TypeError, OSError) as fault:
        is_away = isinstance(fault, requests.RequestException | OSError)
        told = f"The chat does not answer as it should ({type(fault).__name__})."
        raise ChatSendFailed(told, is_away=is_away, may_be_there=_is_lost_post(fault)) from None


def _is_lost_post(fault: Exception) -> bool:
    return (
        isinstance(fault, LostAnswer)
        and fault.request is not None
        and str(fault.request.url).endswith("/chat.postMessage")
    )


def _to_send_failure(refused: SlackApiError) -> ChatSendFailed:
    answer = refused.response
    word = str(answer.get("error", ""))
    if answer.status_code == 429:
        wait = timedelta(seconds=_read_retry_after(answer.headers))
        return ChatSendFailed("The chat asked to wait.", is_away=True, wait=wait)
    if word in UNKNOWN_PERSON_ERRORS:
        return ChatSendFailed("No account of the chat has this person's address.", is_final=True)
    if word in BAD_CONNECTION_ERRORS:
        return ChatSendFailed(f"The chat refuses the connection: {word}.", is_final=True, is_connection_fault=True)
    return ChatSendFailed(f"The chat refused the message: {word or answer.status_code}.")


def _read_retry_after(headers: Any) -> int:
    value = str(headers.get("Retry-After", headers.get("retry-after", "30")))
    return min(int(value), 3_600) if value.isascii() and value.isdigit() else 30
