"""REST: the signatures of a run."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.authentication import caller_of
from accounts.viewsets import ViewSet
from files.signing.content import digest_of_run
from files.signing.serializers import (
    NewQuestionSerializer,
    NewSignatureSerializer,
    QuestionSerializer,
    RevokeSerializer,
    SignatureSerializer,
    SignaturesSerializer,
    present_signature,
    read_proof,
)
from files.signing.signing import ask_to_sign, list_signatures, revoke_signature, sign_run
from runs import access
from runs.lifecycle import describe_run
from runs.signatures.models import Meaning
from wire.clock import now
from wire.inputs import read_body
from wire.outputs import represent


class SignatureViewSet(ViewSet):
    tag = "Runs"
    access = {"list": access.READ, "create": access.SIGN, "ask": access.SIGN, "revoke": access.SIGN}

    @extend_schema(responses={200: SignaturesSerializer})
    def list(self, request: Request, instrument_id: str, run_id: str) -> Response:
        """Who signed a run and for what, revoked signatures too, and whether it is still what was signed."""
        run = describe_run(instrument=instrument_id, run_id=run_id, by=caller_of(request))
        shown = {
            "signatures": [present_signature(one) for one in list_signatures(run)],
            "digest": digest_of_run(run),
        }
        return Response(represent(SignaturesSerializer, shown))

    @extend_schema(request=NewSignatureSerializer, responses={201: SignatureSerializer})
    def create(self, request: Request, instrument_id: str, run_id: str) -> Response:
        """Sign a run, with one's password or a passkey. Until it is revoked, its metadata and files do not change."""
        asked: dict[str, Any] = read_body(NewSignatureSerializer, request.data)
        signed = sign_run(
            instrument=instrument_id,
            run_id=run_id,
            meaning=Meaning(asked["meaning"]),
            seen=asked.get("digest"),
            proof=read_proof(asked, address=request.META.get("REMOTE_ADDR", "")),
            by=caller_of(request),
            at=now(),
        )
        return Response(represent(SignatureSerializer, present_signature(signed)), status=201)

    @extend_schema(request=NewQuestionSerializer, responses={201: QuestionSerializer})
    def ask(self, request: Request, instrument_id: str, run_id: str) -> Response:
        """What one's passkey is to answer, to sign this run as it is now with this meaning: once, within minutes."""
        meaning = Meaning(read_body(NewQuestionSerializer, request.data)["meaning"])
        asked = ask_to_sign(instrument=instrument_id, run_id=run_id, meaning=meaning, by=caller_of(request), at=now())
        return Response(represent(QuestionSerializer, asked), status=201)

    @extend_schema(request=RevokeSerializer, responses={200: SignatureSerializer})
    def revoke(self, request: Request, instrument_id: str, run_id: str, signature_id: UUID) -> Response:
        """Revoke one's own signature; admins any. It stays to be seen, with the reason."""
        asked: dict[str, Any] = read_body(RevokeSerializer, request.data)
        named = {"instrument": instrument_id, "run_id": run_id}
        revoked = revoke_signature(signature_id, **named, **asked, by=caller_of(request), at=now())
        return Response(represent(SignatureSerializer, present_signature(revoked)))
