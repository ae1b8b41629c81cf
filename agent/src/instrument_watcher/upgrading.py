"""Where the agent may be changed to another version, and how pip does it in the environment it runs from."""

import importlib.metadata
import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from instrument_watcher.errors import AgentError, ExitCode
from instrument_watcher.home import APP

PIP_SECONDS = 600
VERSION = re.compile(r"[0-9][0-9A-Za-z.+!-]*")
DEB_PREFIX = "/usr/lib/instrument-watcher"  # agent/packaging/linux_packages.py


class UpdateRefused(AgentError):
    def __init__(self, message: str, *, remedy: str) -> None:
        super().__init__(message, remedy=remedy, code=ExitCode.UPDATE)


class UpdateFailed(AgentError):
    def __init__(self, message: str) -> None:
        super().__init__(message, remedy="The version that runs goes on running.", code=ExitCode.UPDATE)


def refuse_unfit_installation(*, needs_pip: bool = True) -> None:
    """Raises UpdateRefused where what runs must not be replaced, or pip cannot."""
    if sys.prefix == DEB_PREFIX:
        raise UpdateRefused(
            "The agent is a Debian package, which its package manager keeps.",
            remedy="Download the next one in the dashboard, Watchers, Connect an instrument, and: sudo apt install ./…",
        )
    try:
        installed = importlib.metadata.distribution(APP)
    except importlib.metadata.PackageNotFoundError:
        raise UpdateRefused(
            "The agent runs from a checkout and is not installed.", remedy="Update the checkout instead."
        ) from None
    origin = json.loads(installed.read_text("direct_url.json") or "{}")
    if origin.get("dir_info", {}).get("editable"):
        raise UpdateRefused("The agent is installed editable, from a checkout.", remedy="Update the checkout instead.")
    if needs_pip and importlib.util.find_spec("pip") is None:
        raise UpdateRefused(
            f"There is no pip in {sys.prefix}.", remedy="Install the new version the way this one was installed."
        )


def pip_options(source: str) -> list[str]:
    """Where pip looks: "index" is what pip itself is set to, else an index's address or a folder of wheels.

    A folder is never mixed with an index: whoever owns the name there would own this machine.
    """
    if source == "index":
        return []
    if source.startswith(("https://", "http://")):
        return ["--index-url", source]
    folder = Path(source).expanduser()
    if not folder.is_dir():
        raise UpdateRefused(
            f"{source} is no folder and no address.", remedy="Mend updates.source in the configuration."
        )
    return ["--no-index", "--find-links", str(folder)]


def install_version(version: str, *, source: str) -> None:
    """Raises UpdateRefused, UpdateFailed."""
    refuse_unfit_installation()
    if not VERSION.fullmatch(version):
        raise UpdateRefused(f"{version!r} is no version.", remedy="An admin can mend the release in the dashboard.")
    command = [
        sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--upgrade",
        *pip_options(source), f"{APP}=={version}",
    ]  # fmt: skip
    environment = {**os.environ, "PYTHONUTF8": "1"}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PIP_SECONDS, env=environment, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UpdateFailed(f"pip did not finish: {error}") from None
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["no output"]
        raise UpdateFailed(f"pip could not install version {version}: {lines[-1]}")
