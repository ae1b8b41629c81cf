"""Installing a release beside the version that runs: fetched, proven, unpacked, tested, and only then chosen."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from instrument_watcher.home import Home
from instrument_watcher.releases.file import NOT_OURS, refuse_other_bytes, refuse_wrong_signature, unpack
from instrument_watcher.releases.supervisor import command_of, environment_of
from instrument_watcher.releases.versions import BASE, Versions
from instrument_watcher.service.store import Store, StoreError
from instrument_watcher.upgrading import VERSION, UpdateFailed, UpdateRefused, refuse_unfit_installation

SELF_TEST_SECONDS = 180
TURN_SECONDS = 600  # a running agent and a person may install at the same time
MAX_BYTES = 500_000_000
KEPT_ABOUT = "release.json"
THE_ONE_BEFORE = "the one before"


@dataclass(frozen=True)
class Offer:
    """What the service asks this agent to run. Without a version: what it ran before."""

    version: str | None
    is_rollback: bool
    is_mandatory: bool
    sha256: str | None = None
    size_bytes: int | None = None
    signature: str | None = None
    url: str | None = None

    @property
    def name(self) -> str:
        return self.version or THE_ONE_BEFORE


def read_offer(answer: dict[str, Any]) -> Offer | None:
    """Of an update check; None where what runs is right."""
    version, is_rollback = answer.get("latest_version"), bool(answer.get("rollback"))
    if not answer.get("update_available") or not (version or is_rollback):
        return None
    return Offer(
        str(version).removeprefix("v") if version else None,
        is_rollback,
        bool(answer.get("mandatory")),
        *(answer.get(name) for name in ("sha256", "size_bytes", "signature", "download_url")),
    )


def pinned_key(home: Home) -> str | None:
    """The key that the agent was given at its enrolment; no answer of the service changes it."""
    try:
        return home.release_key.read_text(encoding="utf-8").strip() or None
    except FileNotFoundError:
        return None


def install_release(offer: Offer, *, home: Home, public_key: str, store: Store) -> str:
    """Choose it for a trial, which begins when the agent is started again; its version.

    Raises UpdateRefused, UpdateFailed: then nothing was changed.
    """
    refuse_unfit_installation(needs_pip=False)
    versions = Versions(home.versions)
    try:
        versions.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with FileLock(versions.folder / "installing.lock").acquire(timeout=TURN_SECONDS):
            name = _name_of_known(offer, versions) or _install(offer, versions, public_key=public_key, store=store)
            if versions.chosen() != name:  # else another was faster
                test_version(versions, name, home=home)
                versions.try_out(name)
    except Timeout:
        raise UpdateFailed("Another installation is under way, and does not end.") from None
    except OSError as error:
        raise UpdateFailed(f"The release cannot be written: {error.strerror or error}.") from None
    return versions.version_of(name)


def test_version(versions: Versions, name: str, *, home: Home) -> None:
    """Whether it starts at all, and reads this agent's configuration and journal. Raises UpdateFailed."""
    command = command_of(versions, name, ["self-test", "--home", str(home.folder)])
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=SELF_TEST_SECONDS,
            env=environment_of(name),
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise UpdateFailed(f"Its self-test did not end within {SELF_TEST_SECONDS} s.") from None
    said = (done.stdout + done.stderr).strip().splitlines() or ["it said nothing"]
    if done.returncode:
        raise UpdateFailed(f"Its self-test failed: {said[-1][:500]}")
    if said[-1] != versions.version_of(name):
        raise UpdateFailed(f"It calls itself {said[-1][:100]}.")


def _name_of_known(offer: Offer, versions: Versions) -> str | None:
    """Of a version that is here already, and is what is offered."""
    state = versions.state
    if offer.version is None:
        return state.previous if state.previous and versions.packages(state.previous).is_dir() else BASE
    if offer.version == state.base_version:
        return BASE
    return offer.version if _kept_sha256(versions, offer.version) == offer.sha256 and offer.sha256 else None


def _install(offer: Offer, versions: Versions, *, public_key: str, store: Store) -> str:
    version = offer.version or ""
    if not VERSION.fullmatch(version):
        raise UpdateRefused(f"{version!r} is no version.", remedy=NOT_OURS)
    if offer.url is None or offer.sha256 is None:
        raise UpdateRefused("The release has no file, and this computer takes signed ones only.", remedy=NOT_OURS)
    if offer.signature is None:
        raise UpdateRefused("The release is not signed, and this computer takes signed ones only.", remedy=NOT_OURS)
    part = versions.folder / f"{version}.part"
    try:
        _fetch(store, offer.url, part, size=offer.size_bytes)
        refuse_other_bytes(part, sha256=offer.sha256)
        refuse_wrong_signature(part, signature=offer.signature, public_key=public_key)
        unpack(part, versions.folder / version, version=version)
    finally:
        part.unlink(missing_ok=True)
    (versions.folder / version / KEPT_ABOUT).write_text(json.dumps({"sha256": offer.sha256}), encoding="utf-8")
    return version


def _fetch(store: Store, url: str, place: Path, *, size: int | None) -> None:
    if size is None or not 0 < size <= MAX_BYTES:
        raise UpdateRefused(f"The file of the release has {size} bytes.", remedy=NOT_OURS)
    try:
        with place.open("wb") as target:
            store.get(url, target, size=size)
    except StoreError as error:
        raise UpdateFailed(f"The file of the release did not arrive: {error}") from None


def _kept_sha256(versions: Versions, version: str) -> str | None:
    try:
        return str(json.loads((versions.folder / version / KEPT_ABOUT).read_text("utf-8"))["sha256"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
