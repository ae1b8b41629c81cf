"""Installing a release where somebody else does so at the same moment."""

import base64
import hashlib
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agent.packaging.updates import pack
from instrument_watcher.home import Home
from instrument_watcher.releases import installing
from instrument_watcher.releases.file import platform_name
from instrument_watcher.releases.installing import Offer, install_release
from instrument_watcher.releases.versions import Versions
from instrument_watcher.service.store import Store


class Meeting(Store):
    """A store where two who fetch at once meet; whoever comes alone goes on soon."""

    def __init__(self, file: Path) -> None:
        self.file, self.fetched, self._both = file, 0, threading.Barrier(2)

    def get(self, url: str, target: BinaryIO, *, size: int) -> None:
        self.fetched += 1
        with suppress(threading.BrokenBarrierError):
            self._both.wait(0.5)
        target.write(self.file.read_bytes())


def test_an_agent_and_a_person_who_install_at_once_install_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(installing, "refuse_unfit_installation", lambda **_: None)
    monkeypatch.setattr(installing, "test_version", lambda *_, **__: None)
    (tmp_path / "tree" / "any").mkdir(parents=True)
    (tmp_path / "tree" / "any" / "a.py").write_text("")
    pack(tmp_path / "tree", tmp_path / "release.zip", version="0.2.0", platforms=[platform_name()])
    data, key = (tmp_path / "release.zip").read_bytes(), Ed25519PrivateKey.generate()
    signature, public = (
        base64.b64encode(one).decode() for one in (key.sign(data), key.public_key().public_bytes_raw())
    )
    offer = Offer("0.2.0", False, False, hashlib.sha256(data).hexdigest(), len(data), signature, "https://x")
    store, home = Meeting(tmp_path / "release.zip"), Home(tmp_path / "home")

    with ThreadPoolExecutor() as two:
        done = [two.submit(install_release, offer, home=home, public_key=public, store=store) for _ in range(2)]

    assert [one.result() for one in done] == ["0.2.0", "0.2.0"]
    assert store.fetched == 1
    assert Versions(home.versions).chosen() == "0.2.0"
