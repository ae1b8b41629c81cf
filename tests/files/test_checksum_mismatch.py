"""Uploads that are not what was announced: the store refuses them, says why, and the record stays as it was."""

import socket
from urllib.parse import urlsplit

import pytest
import requests

from files.models import File
from tests.factories import make_run
from tests.files.sending import ask, put, say_uploaded, upload

pytestmark = pytest.mark.django_db

DATA = b"what the instrument wrote\n" * 100


@pytest.fixture
def api(as_token):
    return as_token()


@pytest.fixture
def ticket(api, local_service):
    return ask(api, make_run(), DATA)


def refuses(api, ticket, answer: requests.Response, *, saying: str) -> bool:
    """The store said so, and the record is as it was: `uploaded` is not believed."""
    assert 400 <= answer.status_code < 500
    assert saying in answer.json()["error"]["message"]
    file = File.objects.get(pk=ticket["file_id"])
    return say_uploaded(api, ticket["file_id"]).status_code == 409 and file.status == "detected"


def with_url(ticket, old: str, new: str):
    assert old in ticket["upload_url"]
    return ticket | {"upload_url": ticket["upload_url"].replace(old, new)}


def test_a_shorter_body_under_the_announced_length(api, ticket):
    host = urlsplit(ticket["upload_url"])
    head = f"PUT {host.path}?{host.query} HTTP/1.1\r\nHost: {host.netloc}\r\n"
    head += "".join(f"{name}: {value}\r\n" for name, value in ticket["headers"].items())
    with socket.create_connection((host.hostname, host.port), timeout=60) as connection:
        connection.sendall(head.encode() + b"\r\n" + DATA[:50])
        connection.shutdown(socket.SHUT_WR)
        connection.recv(1000)

    assert say_uploaded(api, ticket["file_id"]).status_code == 409
    assert File.objects.get().status == "detected"


@pytest.mark.parametrize("body", [DATA[:-1], DATA + b"!", b""], ids=["shorter", "longer", "empty"])
def test_a_body_of_another_length(api, ticket, body):
    headers = ticket["headers"] | {"Content-Length": str(len(body))}

    answer = put(ticket | {"headers": headers}, body)

    assert refuses(api, ticket, answer, saying="2600 bytes")


def test_other_bytes_of_the_same_length(api, ticket):
    answer = put(ticket, DATA[:-1] + b"!")

    assert refuses(api, ticket, answer, saying="CRC32")


def test_other_bytes_with_their_own_checksum(api, ticket):
    other = ask(api, make_run(), DATA[:-1] + b"!")

    answer = put(ticket | {"headers": other["headers"]}, DATA[:-1] + b"!")

    assert refuses(api, ticket, answer, saying="x-amz-checksum-crc32")


@pytest.mark.parametrize("header", ["Content-Type", "If-None-Match", "x-amz-checksum-crc32"])
def test_a_header_that_was_left_out(api, ticket, header):
    headers = {name: value for name, value in ticket["headers"].items() if name != header}

    answer = put(ticket | {"headers": headers}, DATA)

    assert refuses(api, ticket, answer, saying=header)


def test_another_content_type(api, ticket):
    answer = put(ticket | {"headers": ticket["headers"] | {"Content-Type": "text/html"}}, DATA)

    assert refuses(api, ticket, answer, saying="Content-Type")


def test_a_url_for_more_bytes(api, ticket):
    tampered = with_url(ticket, f"size={len(DATA)}", f"size={len(DATA) + 1}")

    answer = put(tampered, DATA)

    assert refuses(api, ticket, answer, saying="signature")


def test_a_url_for_another_key(api, ticket):
    answer = put(with_url(ticket, f"/{ticket['file_id']}/", f"/{ticket['file_id'] + 1}/"), DATA)

    assert refuses(api, ticket, answer, saying="signature")


def test_a_url_whose_time_was_prolonged(api, ticket):
    answer = put(with_url(ticket, "expires=1", "expires=2"), DATA)

    assert refuses(api, ticket, answer, saying="signature")


def test_a_url_that_has_expired(api, ticket, monkeypatch):
    monkeypatch.setattr("files.storage.signing.time.time", lambda: 4_102_444_800)

    answer = put(ticket, DATA)

    assert refuses(api, ticket, answer, saying="expired")


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_another_method(api, ticket, method):
    answer = put(ticket | {"method": method}, DATA)

    assert answer.status_code in (403, 405)
    assert say_uploaded(api, ticket["file_id"]).status_code == 409


def test_a_second_put_does_not_replace_the_first(api, local_service):
    run = make_run()
    ticket = ask(api, run, DATA)
    put(ticket, DATA)

    answer = put(ticket, DATA)

    assert answer.status_code in (409, 412)
    assert say_uploaded(api, ticket["file_id"]).status_code == 200


def test_a_put_after_the_upload_was_confirmed(api, local_service):
    run = make_run()
    ticket = ask(api, run, DATA)
    put(ticket, DATA)
    say_uploaded(api, ticket["file_id"])

    answer = put(ticket, DATA)

    assert answer.status_code in (409, 412)
    assert File.objects.get().status == "uploaded"


def test_an_upload_that_never_finishes(api, ticket):
    host = urlsplit(ticket["upload_url"])
    with socket.create_connection((host.hostname, host.port), timeout=60) as connection:
        connection.sendall(f"PUT {host.path}?{host.query} HTTP/1.1\r\nHost: {host.netloc}\r\n".encode())

        answer = say_uploaded(api, ticket["file_id"])

    assert answer.status_code == 409


def test_an_upload_in_the_middle_of_things_can_be_begun_again(api, local_service):
    run = make_run()
    ticket = ask(api, run, DATA)
    put(ticket, DATA[:-1] + b"!")

    assert upload(api, run, DATA) == ticket["file_id"]


def test_bytes_that_vanished_from_the_store_before_the_confirmation(api, ticket, local_service):
    put(ticket, DATA)
    local_service.delete(ticket["storage_key"])

    assert say_uploaded(api, ticket["file_id"]).status_code == 409


def test_bytes_that_were_damaged_in_the_store_before_the_confirmation(api, ticket, local_service):
    put(ticket, DATA)
    (local_service.layout.object_directory(ticket["storage_key"]) / "data").write_bytes(b"")

    answer = say_uploaded(api, ticket["file_id"])

    assert answer.status_code == 409
    details = answer.json()["error"]["details"]
    assert (details["size_bytes"], details["stored_size_bytes"]) == (len(DATA), 0)


def test_damaged_bytes_are_sent_again_under_another_key(api, ticket, local_service):
    put(ticket, DATA)
    (local_service.layout.object_directory(ticket["storage_key"]) / "data").write_bytes(b"")
    run = File.objects.get().run

    assert upload(api, run, DATA) == ticket["file_id"]
    assert File.objects.get().storage_key != ticket["storage_key"]
