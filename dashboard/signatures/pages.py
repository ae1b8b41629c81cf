"""The pages on which a run is signed, and a signature revoked."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.authentication import caller_of_page
from accounts.callers import Caller
from accounts.sign_in.passkey_proofs import has_passkey
from accounts.sign_in.reauthentication import ProofMissing, WrongPassword
from accounts.sign_in.recent_sign_in import SignInTooOld
from dashboard.guard import page
from dashboard.notices import Notice, add_notice
from files.signing.content import digest_of_run
from files.signing.serializers import NewSignatureSerializer, RevokeSerializer, read_proof
from files.signing.signing import (
    find_signature,
    list_signatures,
    list_unready_files,
    may_revoke,
    revoke_signature,
    sign_run,
)
from runs import access
from runs.addresses import run_address
from runs.lifecycle import describe_run
from runs.models import Run
from runs.signatures.models import Meaning
from wire.clock import now
from wire.errors import Conflict, Forbidden, RateLimited, ServiceError, ValidationError
from wire.input_gate import read_json
from wire.inputs import read_body

FIELDS = ("meaning", "digest", "password")
PASSWORD_FAULTS = (ProofMissing, WrongPassword)
REFUSALS = (ValidationError, Forbidden, Conflict, RateLimited)


@sensitive_post_parameters("password", "passkey")
@require_http_methods(["GET", "HEAD", "POST"])
@page(access.SIGN)
def sign_page(request: HttpRequest, instrument_id: str, run_id: str) -> HttpResponse:
    """What one signs for, and the password or a passkey."""
    by = caller_of_page(request)
    run = describe_run(instrument=instrument_id, run_id=run_id, by=by)
    if request.method != "POST":
        return _render_form(request, run, by=by)
    try:
        asked = read_body(NewSignatureSerializer, _read_form(request))
        signed = sign_run(
            instrument=instrument_id,
            run_id=run_id,
            meaning=Meaning(asked["meaning"]),
            seen=asked.get("digest", ""),
            proof=read_proof(asked, address=request.META.get("REMOTE_ADDR", "")),
            by=by,
            at=now(),
        )
    except REFUSALS as refused:
        return _render_form(request, run, by=by, refused=refused)
    add_notice(request, Notice(f"Signed as {signed.signature.meaning} by {signed.signature.printed_name}."))
    return HttpResponseRedirect(f"{run_address(run)}#h-signatures")


@require_http_methods(["GET", "HEAD", "POST"])
@page(access.SIGN)
def revoke_page(request: HttpRequest, instrument_id: str, run_id: str, signature_id: UUID) -> HttpResponse:
    """Why it is revoked."""
    by, named = caller_of_page(request), {"instrument": instrument_id, "run_id": run_id}
    run = describe_run(**named, by=by)
    shown = {"run": run, "url": run_address(run), "signature": find_signature(run, signature_id)}
    if request.method == "POST":
        try:
            asked = read_body(RevokeSerializer, {"reason": request.POST.get("reason", "").strip()})
            revoke_signature(signature_id, **named, **asked, by=by, at=now())
        except (ValidationError, Conflict) as refused:
            typed = {"fault": refused.message, "reason": request.POST.get("reason", "")}
            return render(request, "signatures/revoke.html", shown | typed, status=refused.status)
        add_notice(request, Notice("The signature is revoked."))
        return HttpResponseRedirect(f"{run_address(run)}#h-signatures")
    return render(request, "signatures/revoke.html", shown)


def signatures_of(run: Run, *, by: Caller) -> dict[str, Any]:
    """What the page of a run shows of them; revoked ones are struck through."""
    found = list_signatures(run)
    shown = [
        {
            "signature": one.signature,
            "is_intact": one.is_intact,
            "may_revoke": one.signature.revoked_at is None and may_revoke(one.signature, by=by),
        }
        for one in found
    ]
    return {"signatures": shown, "is_signed": any(one.signature.revoked_at is None for one in found)}


def _read_form(request: HttpRequest) -> dict[str, Any]:
    """Raises ValidationError."""
    said: dict[str, Any] = {name: request.POST[name] for name in FIELDS if name in request.POST}
    if request.POST.get("passkey"):
        said["passkey"] = read_json(request.POST["passkey"].encode())
    return said


def _render_form(request: HttpRequest, run: Run, *, by: Caller, refused: ServiceError | None = None) -> HttpResponse:
    is_chosen = request.POST.get("meaning", "") in Meaning.values
    shown = {
        "run": run,
        "url": run_address(run),
        "digest": digest_of_run(run),
        "unready": list_unready_files(run),
        "meanings": [(one, f"{one} it") for one in Meaning.values],
        "chosen": request.POST.get("meaning", ""),
        "fault": refused.message if refused and not isinstance(refused, PASSWORD_FAULTS) and is_chosen else "",
        "meaning_fault": "" if is_chosen or refused is None else "Say what you did.",
        "password_fault": refused.message if isinstance(refused, PASSWORD_FAULTS) else "",
        "has_passkey": by.user is not None and has_passkey(by.user),
        "provider": settings.OIDC_NAME if isinstance(refused, SignInTooOld) else "",
    }
    return render(request, "signatures/sign.html", shown, status=refused.status if refused else 200)
