"""Wire shapes of signatures."""

from typing import Any

from rest_framework import serializers

from accounts.sign_in.proofs import ProvenBy
from accounts.sign_in.reauthentication import PasskeyAnswer, Password, Proof
from files.signing.signing import ShownSignature
from runs.signatures.models import MAX_REASON_CHARACTERS, Meaning
from wire.fields import Choice, Metadata, Name, Text, Timestamp, Uuid

MAX_PASSWORD_CHARACTERS = 1_000


class RevocationSerializer(serializers.Serializer[Any]):
    at = Timestamp()
    by = serializers.CharField()
    reason = serializers.CharField()


class SignatureSerializer(serializers.Serializer[Any]):
    id = Uuid()
    meaning = Choice(choices=Meaning.values)
    signer_id = Uuid()
    printed_name = serializers.CharField(help_text="The signer's name at signing.")
    proven_by = Choice(
        choices=ProvenBy.values,
        allow_null=True,
        help_text="What proved who signed: the password, a passkey, or a sign-in of the minutes before (by the identity"
        " provider) of somebody without a password. Null of signatures from before this was kept.",
    )
    signed_at = Timestamp()
    digest = serializers.CharField(help_text="SHA-256 of what was signed.")
    is_intact = serializers.BooleanField(help_text="Whether the run is still what was signed.")
    revoked = RevocationSerializer(allow_null=True)


class SignaturesSerializer(serializers.Serializer[Any]):
    signatures = SignatureSerializer(many=True)
    digest = serializers.CharField(help_text="SHA-256 of what would be signed now.")


class NewSignatureSerializer(serializers.Serializer[Any]):
    meaning = Choice(choices=Meaning.values)
    password = Text(
        required=False,
        default="",
        allow_blank=True,
        trim_whitespace=False,
        max_length=MAX_PASSWORD_CHARACTERS,
        help_text="Needed of everybody who has one and brings no `passkey`; people of an identity provider need a"
        " recent sign-in instead.",
    )
    digest = Text(
        required=False,
        max_length=64,
        help_text="That of what was looked at. Where the run is another by now, nothing is signed (409).",
    )
    passkey = Metadata(
        required=False,
        help_text="In place of the password: what the browser's passkey answered to `signatures/passkey-question`, as"
        " `PublicKeyCredential.toJSON()` writes it. It signs once.",
    )


class NewQuestionSerializer(serializers.Serializer[Any]):
    meaning = Choice(choices=Meaning.values)


class QuestionSerializer(serializers.Serializer[Any]):
    public_key = Metadata(help_text="For `PublicKeyCredential.parseRequestOptionsFromJSON` (WebAuthn, level 3).")
    expires_at = Timestamp()


class RevokeSerializer(serializers.Serializer[Any]):
    reason = Name(max_length=MAX_REASON_CHARACTERS)


def read_proof(asked: dict[str, Any], *, address: str) -> Proof:
    if "passkey" in asked:
        return PasskeyAnswer(asked["passkey"])
    return Password(asked["password"], address=address)


def present_signature(shown: ShownSignature) -> dict[str, Any]:
    one = shown.signature
    revoked = None
    if one.revoked_at is not None and one.revoked_by is not None:
        revoked = {"at": one.revoked_at, "by": one.revoked_by.name, "reason": one.revocation_reason}
    return {
        "id": one.pk,
        "meaning": one.meaning,
        "signer_id": one.signer_id,
        "printed_name": one.printed_name,
        "proven_by": one.proven_by,
        "signed_at": one.signed_at,
        "digest": one.digest,
        "is_intact": shown.is_intact,
        "revoked": revoked,
    }
