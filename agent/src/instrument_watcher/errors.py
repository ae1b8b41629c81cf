"""What can go wrong in a way the operator can mend, and what the process then answers to its caller."""

from enum import IntEnum


class ExitCode(IntEnum):
    """Documented in docs/agent.md; scripts and service managers rely on them."""

    OK = 0
    CRASH = 1
    USAGE = 2  # click's own
    CONFIGURATION = 3
    UNREACHABLE = 4
    TOKEN = 5
    REGISTRATION = 6
    FOLDER = 7
    ALREADY_RUNNING = 8
    NOT_UPLOADED = 9
    UPDATE = 10
    SERVICE_MANAGER = 11
    RESTART = 75  # an update was installed; the service manager starts the new version


class AgentError(Exception):
    """An error with a remedy. The command line prints both and leaves with the exit code."""

    def __init__(self, message: str, *, remedy: str = "", code: ExitCode = ExitCode.CRASH) -> None:
        super().__init__(message)
        self.message, self.remedy, self.code = message, remedy, code
