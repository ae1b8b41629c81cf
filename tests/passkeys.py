"""A passkey without a device: it makes its key and signs as WebAuthn says, also what no honest one would."""

import hashlib
import json
import secrets

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2.cose import ES256
from fido2.utils import websafe_encode
from fido2.webauthn import AttestationObject, AttestedCredentialData, AuthenticatorData, CollectedClientData

from accounts.models import SecondFactor

ORIGIN = "http://localhost"
PRESENT, VERIFIED, ATTESTED = 1, 4, 64


class SoftPasskey:
    def __init__(self, person, *, host="localhost"):
        """Added to this person's account."""
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.id = secrets.token_bytes(16)
        self.rp_id_hash = hashlib.sha256(host.encode()).digest()
        self.factor = SecondFactor.objects.create(
            user=person, type="webauthn", data={"name": "Passkey 1", "credential": self._enrolment()}
        )

    def answer(self, question, *, is_verified=True, origin=ORIGIN, kind="webauthn.get"):
        """To `public_key` of a question, as the browser's `toJSON()` has it."""
        flags = PRESENT | (VERIFIED if is_verified else 0)
        seen = AuthenticatorData.create(self.rp_id_hash, flags, 0)
        client = json.dumps({"type": kind, "challenge": question["challenge"], "origin": origin}).encode()
        signed = self.key.sign(bytes(seen) + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        return self._credential(
            {
                "clientDataJSON": websafe_encode(client),
                "authenticatorData": websafe_encode(bytes(seen)),
                "signature": websafe_encode(signed),
            }
        )

    def _enrolment(self):
        held = AttestedCredentialData.create(b"\0" * 16, self.id, ES256.from_cryptography_key(self.key.public_key()))
        seen = AuthenticatorData.create(self.rp_id_hash, PRESENT | VERIFIED | ATTESTED, 0, held)
        client = CollectedClientData.create("webauthn.create", b"0" * 32, ORIGIN)
        return self._credential(
            {
                "clientDataJSON": websafe_encode(bytes(client)),
                "attestationObject": websafe_encode(bytes(AttestationObject.create("none", seen, {}))),
            }
        )

    def _credential(self, response):
        named = websafe_encode(self.id)
        return {
            "id": named,
            "rawId": named,
            "type": "public-key",
            "authenticatorAttachment": "platform",
            "clientExtensionResults": {},
            "response": response,
        }
