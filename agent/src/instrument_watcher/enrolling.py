"""Trading an enrolment code for a token of one's own, so that nobody copies tokens by hand."""

import platform
import re
from dataclasses import dataclass

from instrument_watcher import __version__
from instrument_watcher.errors import AgentError, ExitCode
from instrument_watcher.service.api import Service
from instrument_watcher.service.connection import Connection
from instrument_watcher.service.errors import Refused

CODE = re.compile(r"[0-9A-Za-z]{4}([- ]?[0-9A-Za-z]{4}){3}")


class EnrolmentRefused(AgentError):
    def __init__(self, message: str, *, remedy: str) -> None:
        super().__init__(message, remedy=remedy, code=ExitCode.REGISTRATION)


@dataclass(frozen=True)
class Enrolment:
    """What a code was traded for. `release_public_key` is what releases are signed with, where the service has one."""

    token: str
    instrument_id: str
    watcher_id: str
    release_public_key: str | None


def is_code(text: str) -> bool:
    return CODE.fullmatch(text.strip()) is not None


def enrol(server: str, *, code: str, instance: str, instrument_id: str | None = None) -> Enrolment:
    """Spend the code. `instrument_id` is what it is expected for. Raises EnrolmentRefused, Refused, ServiceAway."""
    connection = Connection(server, read_token=lambda: "")
    try:
        answer = Service(connection).enrol(
            code=code.strip(),
            hostname=platform.node()[:255],
            os_info=platform.platform()[:255],
            agent_version=__version__,
            instance_id=instance,
        )
    except Refused as refusal:
        if refusal.status != 404:
            raise
        raise _refusal(connection) from None
    finally:
        connection.close()
    if instrument_id not in (None, answer["instrument_id"]):
        raise EnrolmentRefused(
            f"The code was one for {answer['instrument_id']}, not for {instrument_id}. It is spent now.",
            remedy=f"Ask an admin for a code for {instrument_id}.",
        )
    return Enrolment(
        answer["token"], answer["instrument_id"], str(answer["watcher_id"]), answer.get("release_public_key")
    )


def _refusal(connection: Connection) -> EnrolmentRefused:
    """A code that is not good and a service without codes both answer 404; a route that is there refuses a GET."""
    try:
        connection.get("enrol")
    except Refused as refusal:
        if refusal.status == 404:
            return EnrolmentRefused(
                f"{connection.server} gives out no enrolment codes: it is of an earlier version.",
                remedy="Give a token instead: instrument-watcher init --token",
            )
    return EnrolmentRefused(
        "The service does not take this code: it was used before, its time is over, or a letter is wrong.",
        remedy="An admin makes a new one in the dashboard, Instruments, Connect an instrument.",
    )
