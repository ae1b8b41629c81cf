"""Files of releases: stored once, signed, handed out."""

import base64
import hashlib
from io import StringIO

import pytest
import requests
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.core.management import CommandError, call_command

from files.release_files import store_release_file
from tests.factories import make_user, make_watcher
from watchers.models import WatcherRelease
from wire.clock import now

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("local_service")]
SETTINGS = "/api/v1/settings/watcher-releases"
CONTENT = b"a release" * 1000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def key(settings):
    key = Ed25519PrivateKey.generate()
    settings.RELEASE_PUBLIC_KEY = base64.b64encode(key.public_key().public_bytes_raw()).decode()
    return key


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "instrument-watcher-2.1.0.zip"
    path.write_bytes(CONTENT)
    return path


def sign(key, content=CONTENT):
    return base64.b64encode(key.sign(content)).decode()


def test_a_signed_release_is_told_with_where_its_file_is(as_admin, as_token, key, file):
    store_release_file(file)

    made = as_admin().post(SETTINGS, {"version": "2.1.0", "sha256": SHA256, "signature": sign(key)})
    as_admin().patch(f"{SETTINGS}/{made.json()['id']}", {"published": True})
    told = as_token().get(f"/api/v1/watchers/{make_watcher(agent_version='2.0.0').pk}/update-check").json()

    assert (made.status_code, made.json()["size_bytes"], made.json()["wave_percent"]) == (201, len(CONTENT), 100)
    assert (told["sha256"], told["signature"], told["size_bytes"]) == (SHA256, sign(key), len(CONTENT))
    fetched = requests.get(told["download_url"], timeout=60)
    assert (fetched.content, fetched.headers["Content-Length"]) == (CONTENT, str(len(CONTENT)))


@pytest.mark.parametrize(
    ("signature", "told"),
    [
        (lambda key: sign(key, b"another file"), "It is not one of this file"),
        (lambda key: sign(Ed25519PrivateKey.generate()), "It is not one of this file"),
        (lambda key: "AAAA", "64 bytes of Ed25519 in base64"),
        (lambda key: "no base64!", "64 bytes of Ed25519 in base64"),
        (lambda key: "ä" * 80, "64 bytes of Ed25519 in base64"),
    ],
)
def test_a_wrong_signature_is_refused_by_its_field(as_admin, key, file, signature, told):
    store_release_file(file)

    answer = as_admin().post(SETTINGS, {"version": "2.1.0", "sha256": SHA256, "signature": signature(key)})

    assert answer.status_code == 400
    assert answer.json()["error"]["details"]["fields"]["signature"][0].startswith(told)
    assert not WatcherRelease.objects.exists()


def test_a_release_may_be_there_before_its_file(as_admin, as_token, key, file):
    release = {"version": "2.1.0", "sha256": SHA256, "signature": sign(key)}
    made = as_admin().post(SETTINGS, release)
    as_admin().patch(f"{SETTINGS}/{made.json()['id']}", {"published": True})
    question = f"/api/v1/watchers/{make_watcher(agent_version='2.0.0').pk}/update-check"

    before = as_token().get(question).json()
    call_command("add_release", str(file), stdout=StringIO())
    since = as_token().get(question).json()

    assert (made.status_code, made.json()["size_bytes"]) == (201, None)
    assert (before["latest_version"], before["sha256"], before["download_url"]) == ("2.1.0", SHA256, None)
    assert since["size_bytes"] == len(CONTENT)
    assert requests.get(since["download_url"], timeout=60).content == CONTENT


def test_a_file_that_its_release_was_not_signed_for_is_not_handed_out(as_admin, key, file):
    as_admin().post(SETTINGS, {"version": "2.1.0", "sha256": SHA256, "signature": sign(key, b"another")})

    with pytest.raises(CommandError, match="It is not one of this file"):
        call_command("add_release", str(file), stdout=StringIO())

    assert WatcherRelease.objects.get().size_bytes is None


def test_a_signature_of_nothing_is_refused(as_admin, key):
    answer = as_admin().post(SETTINGS, {"version": "2.1.0", "signature": sign(key)})

    assert (answer.status_code, list(answer.json()["error"]["details"]["fields"])) == (400, ["signature"])


def test_one_file_may_be_a_release_of_both_channels(as_admin, key, file):
    store_release_file(file)
    store_release_file(file)
    release = {"version": "2.1.0", "sha256": SHA256, "signature": sign(key)}

    answers = [as_admin().post(SETTINGS, release | {"channel": channel}).status_code for channel in ("beta", "stable")]

    assert answers == [201, 201]


def test_a_computer_is_told_the_public_key_when_it_enrols(as_admin, key, settings):
    code = as_admin().post("/api/v1/enrolment-codes", {"new_instrument": {}}).json()["data"][0]["code"]

    computer = {"code": code, "hostname": "pc", "instance_id": "0190f2b4-0000-7000-8000-000000000001"}
    enrolled = as_admin().post("/api/v1/enrol", computer)

    assert enrolled.json()["release_public_key"] == settings.RELEASE_PUBLIC_KEY


def test_the_commands_make_a_key_and_a_signed_draft_with_its_installers(tmp_path, file, settings):
    said, private = StringIO(), tmp_path / "release-key.pem"
    installer = tmp_path / "instrument-watcher_2.1.0_amd64.deb"
    installer.write_bytes(b"deb")
    call_command("release_key", str(private), stdout=said)
    settings.RELEASE_PUBLIC_KEY = said.getvalue().strip().partition("=")[2]

    call_command("add_release", str(file), str(installer), key=private, stdout=said)

    release = WatcherRelease.objects.get()
    assert (release.version, release.sha256, release.published_at) == ("2.1.0", SHA256, None)
    assert [(one.system, one.filename) for one in release.installers.all()] == [("deb", installer.name)]
    assert said.getvalue().endswith("2.1.0 (stable) is a draft, signed.\n")
    assert private.stat().st_mode & 0o077 == 0


def test_installers_are_added_to_a_release_later_and_its_file_never_changes(tmp_path, file):
    call_command("add_release", str(file), stdout=StringIO())
    installer = tmp_path / "InstrumentWatcher-2.1.0.exe"
    for content in (b"unfinished", b"exe"):
        installer.write_bytes(content)
        call_command("add_release", str(installer), stdout=StringIO())
    file.write_bytes(b"another")

    with pytest.raises(CommandError, match=r"2\.1\.0 is known"):
        call_command("add_release", str(file), stdout=StringIO())

    [release] = WatcherRelease.objects.all()
    assert release.sha256 == SHA256
    assert [one.sha256 for one in release.installers.all()] == [hashlib.sha256(b"exe").hexdigest()]


def test_what_is_said_of_a_release_that_is_there_is_not_passed_over(tmp_path, file, key):
    call_command("add_release", str(file), notes="The first.", stdout=StringIO())
    signature = base64.b64encode(key.sign(file.read_bytes())).decode()

    for told in ({"signature": signature}, {"notes": "Another."}):
        with pytest.raises(CommandError, match=r"2\.1\.0 is known"):
            call_command("add_release", str(file), **told, stdout=StringIO())

    call_command("add_release", str(file), notes="The first.", stdout=StringIO())
    assert WatcherRelease.objects.get().signature is None


def test_the_command_refuses_a_key_that_is_not_the_one_of_the_setting(tmp_path, file, key):
    private = tmp_path / "another.pem"
    call_command("release_key", str(private), stdout=StringIO())

    with pytest.raises(CommandError, match="It is not one of this file"):
        call_command("add_release", str(file), key=private)


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["setup.exe"], "is not named as"),
        (["instrument-watcher-2.1.0.zip", "InstrumentWatcher-2.2.0.exe"], "of several versions: 2.1.0, 2.2.0"),
        (["absent/instrument-watcher-2.1.0.zip"], "is no file"),
    ],
)
def test_files_that_are_not_those_of_one_version_are_refused(tmp_path, names, told):
    for name in names:
        if "/" not in name:
            (tmp_path / name).write_bytes(b"x")

    with pytest.raises(CommandError, match=told):
        call_command("add_release", *(str(tmp_path / name) for name in names))


def test_admins_alone_add_releases(client):
    client.force_login(make_user())

    assert client.post(SETTINGS, {"version": "2.1.0"}, content_type="application/json").status_code == 403


def test_a_download_leads_to_the_store_which_sends_the_file_with_its_length_and_name(client, tmp_path):
    file = tmp_path / "instrument-watcher_1.4.0_amd64.deb"
    file.write_bytes(b"deb" * 9)
    call_command("add_release", str(file), stdout=StringIO())
    WatcherRelease.objects.update(published_at=now())

    client.force_login(make_user())
    answer = client.get("/watchers/connect/program/deb")
    fetched = requests.get(answer["Location"], timeout=60)

    assert (answer.status_code, fetched.content, fetched.headers["Content-Length"]) == (302, b"deb" * 9, "27")
    assert file.name in fetched.headers["Content-Disposition"]
