import json
import stat

import pytest

import instrument_data as ids
from instrument_data.credentials import Credentials, clean_url, find_credentials, forget_credentials, keep_credentials
from instrument_data.errors import NotConnected


def test_nothing_known_says_what_to_do():
    with pytest.raises(NotConnected, match="ids-data login"):
        ids.connect()


def test_what_was_kept_is_found_and_readable_by_this_user_only():
    place = keep_credentials(Credentials("https://a.example", "ids_a"))

    assert find_credentials() == Credentials("https://a.example", "ids_a")
    assert stat.S_IMODE(place.stat().st_mode) == 0o600


def test_a_kept_token_goes_to_no_other_service():
    keep_credentials(Credentials("https://a.example", "ids_a"))

    with pytest.raises(NotConnected, match=r"no token for https://b\.example"):
        find_credentials("https://b.example")


def test_the_environment_comes_before_what_was_kept(monkeypatch):
    keep_credentials(Credentials("https://a.example", "ids_a"))
    monkeypatch.setenv("IDS_URL", "https://b.example/")
    monkeypatch.setenv("IDS_TOKEN", "ids_b")

    assert find_credentials() == Credentials("https://b.example", "ids_b")


def test_the_environments_token_goes_to_no_other_service_than_the_environments(monkeypatch):
    monkeypatch.setenv("IDS_URL", "https://b.example/api/v1")
    monkeypatch.setenv("IDS_TOKEN", "ids_b")

    with pytest.raises(NotConnected, match=r"no token for https://a\.example.*IDS_TOKEN is for https://b\.example"):
        find_credentials("https://a.example")
    keep_credentials(Credentials("https://a.example", "ids_a"))
    assert find_credentials("https://a.example").token == "ids_a"
    assert find_credentials("https://b.example/").token == "ids_b"


def test_the_environments_token_alone_goes_to_the_service_that_is_said(monkeypatch):
    monkeypatch.setenv("IDS_TOKEN", "ids_b")

    assert find_credentials("https://a.example") == Credentials("https://a.example", "ids_b")


def test_forgetting_leaves_the_others():
    keep_credentials(Credentials("https://a.example", "ids_a"))
    keep_credentials(Credentials("https://b.example", "ids_b"))

    assert forget_credentials("https://b.example")
    assert not forget_credentials("https://b.example")
    assert find_credentials() == Credentials("https://a.example", "ids_a")


def test_a_damaged_file_says_so(tmp_path):
    place = keep_credentials(Credentials("https://a.example", "ids_a"))
    place.write_text("{")

    with pytest.raises(NotConnected, match="cannot be read"):
        find_credentials()


def test_no_representation_shows_the_token():
    assert "ids_a" not in repr(Credentials("https://a.example", "ids_a"))
    assert "ids_a" not in repr(ids.connect("https://a.example", "ids_a"))


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("https://a.example/", "https://a.example"),
        ("https://a.example/api/v1", "https://a.example"),
        ("a.example", "https://a.example"),
        ("127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("localhost", "http://localhost"),
        ("[::1]:8000/api/v1", "http://[::1]:8000"),
        ("localhost.example", "https://localhost.example"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
    ],
)
def test_addresses_are_cleaned(said, meant):
    assert clean_url(said) == meant


@pytest.mark.parametrize("said", ["ftp://a.example", "https://", "//"])
def test_what_is_no_address_is_refused(said):
    with pytest.raises(NotConnected):
        clean_url(said)


def test_the_file_is_plain_json():
    place = keep_credentials(Credentials("https://a.example", "ids_a"))

    assert json.loads(place.read_text()) == {"default": "https://a.example", "tokens": {"https://a.example": "ids_a"}}
