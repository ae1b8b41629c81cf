import json
import os
import shutil
import stat
from pathlib import Path

import pytest

from operations.embedded.data_directory import DataDirectory, DataDirectoryBusy, DataDirectoryGone, Holder
from operations.embedded.errors import EmbeddedError
from operations.embedded.sockets import choose_socket_directory, make_socket_directory, remove_socket_directory


@pytest.fixture
def data(tmp_path):
    directory = DataDirectory(tmp_path / "lab data")
    directory.prepare()
    return directory


def test_a_second_claim_is_refused_and_told_who_has_the_first(data):
    with data.claim() as claim:
        claim.write(Holder("serve", pid=4711, public_url="http://127.0.0.1:8000"))

        with pytest.raises(DataDirectoryBusy, match=r"in use by \./ids serve \(process 4711\)"):
            data.claim()


def test_a_claim_is_free_again_once_given_back(data):
    with data.claim():
        pass

    with data.claim() as again:
        again.write(Holder("manage", pid=os.getpid()))

    assert data.holder() == Holder("manage", pid=os.getpid())


@pytest.mark.parametrize("loss", ["removed", "begun to be removed", "moved", "another"])
def test_a_claim_knows_that_its_directory_is_gone(data, loss):
    with data.claim() as claim:
        claim.check()

        if "removed" in loss:
            shutil.rmtree(data.path if loss == "removed" else data.logs)
        else:
            data.path.rename(data.path.with_name("elsewhere"))
        if loss == "another":
            data.prepare()

        with pytest.raises(DataDirectoryGone, match="lab data is no longer there"):
            claim.check()


def test_a_holder_file_that_is_being_written_names_nobody(data):
    data.holder_file.write_text(json.dumps({"command": "serve"})[:-3])

    assert data.holder() is None


def test_the_secret_key_is_made_once_and_private(data):
    key = data.secret_key()

    assert len(key) >= 50
    assert data.secret_key() == key
    assert stat.S_IMODE((data.path / "secret_key").stat().st_mode) == 0o600


def test_what_is_inside_is_private(data):
    assert {stat.S_IMODE(place.stat().st_mode) for place in (data.path, data.logs, data.path / "objects")} == {0o700}


def test_the_directory_of_another_user_is_refused(data, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: data.holder_file.stat().st_uid + 1)

    with pytest.raises(EmbeddedError, match="run this as that user"):
        data.prepare()


def test_a_place_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").touch()

    with pytest.raises(EmbeddedError, match="cannot be written: Not a directory"):
        DataDirectory(tmp_path / "file" / "var").prepare()


def test_sockets_lie_in_a_short_plain_directory():
    assert choose_socket_directory(Path("/srv/ids")) == Path("/srv/ids/run")


@pytest.mark.parametrize("path", ["/srv/lab data", "/srv/" + "long/" * 20, "/srv/Gerätedaten", "/srv/a,b", "/srv/100%"])
def test_sockets_of_other_directories_lie_in_a_short_one_of_their_own(path):
    found = choose_socket_directory(Path(path))

    assert found.parent == Path("/tmp")
    assert len(str(found)) < 50
    assert found == choose_socket_directory(Path(path))
    assert found != choose_socket_directory(Path(path + "2"))


def test_a_foreign_socket_directory_is_refused(tmp_path):
    data = tmp_path / "with space"
    place = choose_socket_directory(data)
    place.symlink_to(tmp_path)

    with pytest.raises(EmbeddedError, match="belongs to somebody else"):
        make_socket_directory(data)

    place.unlink()


def test_a_socket_directory_elsewhere_is_removed_in_the_end(tmp_path):
    place = make_socket_directory(tmp_path / "with space")
    assert stat.S_IMODE(place.stat().st_mode) == 0o700

    remove_socket_directory(tmp_path / "with space")

    assert not place.exists()
