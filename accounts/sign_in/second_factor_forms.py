"""allauth's forms of second factors (MFA_FORMS), with our limits.

What a browser made up is a refusal, never a fault.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from allauth.mfa.base.forms import AuthenticateForm
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.webauthn.forms import AddWebAuthnForm, AuthenticateWebAuthnForm
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from django import forms

from accounts.sign_in.second_factors import count_code, forgive_codes
from wire.errors import ValidationError as InvalidInput
from wire.form_fields import NameField
from wire.input_gate import read_json

MAX_CODE_CHARS, MAX_NAME_CHARS, MAX_CREDENTIAL_CHARS = 40, 60, 20_000
MADE_UP = (ValueError, TypeError, LookupError, AttributeError, InvalidSignature, UnsupportedAlgorithm)
KEPT = ("id", "rawId", "type", "authenticatorAttachment", "response", "clientExtensionResults")
Answer = TypeVar("Answer")


class CodeForm(AuthenticateForm):
    """A code of the app, or a recovery code."""

    code = forms.CharField(max_length=MAX_CODE_CHARS, label="Code")

    def clean_code(self) -> str:
        count_code(self.user)
        code = super().clean_code()
        forgive_codes(self.user)
        return code


class AppForm(ActivateTOTPForm):
    """The first code of an app, which proves that it holds the secret."""

    code = forms.CharField(max_length=MAX_CODE_CHARS, label="Code")

    def clean_code(self) -> str:
        count_code(self.user)
        code = super().clean_code()
        forgive_codes(self.user)
        return code


class CredentialField(forms.JSONField):
    """What a browser's passkey answers, without what nobody reads."""

    def to_python(self, value: Any) -> Any:
        if not isinstance(value, str) or not value:
            return None
        if len(value) > MAX_CREDENTIAL_CHARS or "\\u0000" in value:
            raise forms.ValidationError("This is no answer of a passkey.")
        try:
            credential = read_json(value.encode())
        except InvalidInput:
            raise forms.ValidationError("This is no answer of a passkey.") from None
        if not isinstance(credential, dict):
            raise forms.ValidationError("This is no answer of a passkey.")
        return {name: credential[name] for name in KEPT if name in credential}


class PasskeyForm(AuthenticateWebAuthnForm):
    credential = CredentialField()

    def clean_credential(self) -> Any:
        count_code(self.user)
        authenticator = judge(super().clean_credential)
        forgive_codes(self.user)
        return authenticator


class NewPasskeyForm(AddWebAuthnForm):
    credential = CredentialField()
    name = NameField(max_length=MAX_NAME_CHARS, required=False, label="Name")

    def clean(self) -> dict[str, Any]:
        return judge(super().clean)


def judge(judgement: Callable[[], Answer]) -> Answer:
    try:
        return judgement()
    except MADE_UP:
        raise forms.ValidationError("The passkey did not match. Try again.") from None
