"""Whose certificates the client believes, against a TLS server whose authority nobody else knows."""

import ipaddress
import ssl
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

import instrument_data as ids
from client.tests.desk import Answer, Desk, listed

ABOUT: dict[str, Any] = {"kind": "token", "id": "1", "name": "script", "scopes": [], "instrument_ids": None}


def sign(subject, *, issuer=None, key=None, names=()):
    """(key, certificate): an authority where no issuer is named, else a server's."""
    own = ec.generate_private_key(ec.SECP256R1())
    named = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)])
    begin = datetime.now(timezone.utc) - timedelta(hours=1)
    made = (
        x509.CertificateBuilder()
        .subject_name(named)
        .issuer_name(issuer.subject if issuer else named)
        .public_key(own.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(begin + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(own.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key((key or own).public_key()), critical=False)
        .add_extension(
            x509.KeyUsage(True, False, False, False, False, issuer is None, issuer is None, False, False), critical=True
        )
    )
    if names:
        made = made.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return own, made.sign(key or own, hashes.SHA256())


@pytest.fixture
def laboratory(tmp_path):
    """A desk behind TLS, and the file of its authority."""
    authority_key, authority = sign("Laboratory")
    key, certificate = sign(
        "desk", issuer=authority, key=authority_key, names=[x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    )
    bundle, server = tmp_path / "laboratory.pem", tmp_path / "server.pem"
    bundle.write_bytes(authority.public_bytes(serialization.Encoding.PEM))
    server.write_bytes(
        certificate.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(server)
    with Desk(tls=context) as desk:
        desk.tell("GET", "/whoami", Answer(ABOUT))
        desk.tell("GET", "/instruments", listed([]))
        yield desk, bundle


@pytest.fixture(autouse=True)
def _no_bundle(monkeypatch):
    for name in ("IDS_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)


def ask(desk, **settings):
    with ids.connect(desk.url, "ids_x", **settings) as lab:
        return lab.whoami()


def test_an_authority_that_is_not_named_is_not_believed_and_not_asked_again(laboratory):
    desk, _ = laboratory

    with pytest.raises(ids.errors.NotTrusted, match=r"not believed.*IDS_CA_BUNDLE"):
        ask(desk, patience=60)

    assert desk.questions == []


def test_an_authority_is_named_to_connect(laboratory):
    desk, bundle = laboratory

    assert ask(desk, ca_bundle=bundle) == ABOUT


@pytest.mark.parametrize("name", ["IDS_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"])
def test_an_authority_is_named_by_the_environment(laboratory, name, monkeypatch):
    desk, bundle = laboratory
    monkeypatch.setenv(name, str(bundle))

    assert ask(desk) == ABOUT


def test_what_is_said_goes_before_the_environment(laboratory, monkeypatch, tmp_path):
    desk, bundle = laboratory
    monkeypatch.setenv("IDS_CA_BUNDLE", str(tmp_path / "gone.pem"))

    assert ask(desk, ca_bundle=bundle) == ABOUT


@pytest.mark.parametrize(("content", "told"), [(None, "No such file"), ("no certificate", "no certificate in PEM")])
def test_a_bundle_that_cannot_be_read_is_told(monkeypatch, tmp_path, content, told):
    if content is not None:
        (tmp_path / "bundle.pem").write_text(content)
    monkeypatch.setenv("CURL_CA_BUNDLE", str(tmp_path / "bundle.pem"))

    with pytest.raises(ids.errors.NotConnected, match=f"CURL_CA_BUNDLE names .*{told}"):
        ids.connect("https://127.0.0.1:1", "ids_x")


def test_https_where_http_is_spoken_is_told_at_once(desk):
    with (
        pytest.raises(ids.errors.NotTrusted, match="speaks no TLS"),
        ids.connect(desk.url.replace("http://", "https://"), "ids_x", patience=60) as lab,
    ):
        lab.whoami()
