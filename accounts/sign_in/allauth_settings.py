"""Sign-in as django-allauth reads it from the settings: addresses and passwords, identity providers, second factors."""

from typing import Any


def allauth_settings(*, login_url: str, is_https: bool, has_passkeys: bool) -> dict[str, Any]:
    return {
        "ACCOUNT_ADAPTER": "accounts.sign_in.adapters.AccountAdapter",
        "ACCOUNT_LOGIN_METHODS": {"email"},
        "ACCOUNT_SIGNUP_FIELDS": ["email*", "password1*", "password2*"],
        "ACCOUNT_USER_MODEL_USERNAME_FIELD": None,
        "ACCOUNT_USER_DISPLAY": "accounts.members.display_name_of",
        "ACCOUNT_EMAIL_VERIFICATION": "none",
        "ACCOUNT_LOGOUT_REDIRECT_URL": login_url,
        "ACCOUNT_SESSION_REMEMBER": True,
        "ACCOUNT_RATE_LIMITS": False,  # accounts.sign_in.attempts counts by address and account, never by address alone
        "ACCOUNT_LOGIN_TIMEOUT": 900,  # seconds between the password and the second factor
        "SOCIALACCOUNT_ADAPTER": "accounts.sign_in.adapters.SocialAccountAdapter",
        "SOCIALACCOUNT_EMAIL_AUTHENTICATION": False,
        "SOCIALACCOUNT_LOGIN_ON_GET": True,
        "MFA_ADAPTER": "accounts.sign_in.second_factors.SecondFactorAdapter",
        "MFA_FORMS": SECOND_FACTOR_FORMS,
        "MFA_SUPPORTED_TYPES": ["recovery_codes", "totp", *(["webauthn"] if has_passkeys else [])],
        "MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN": not is_https,
        "MFA_RECOVERY_CODES_SHOW_ONCE": True,
        "MFA_REAUTHENTICATION_REQUIRED": False,  # accounts.access asks, for these pages and others
        "MFA_ALLOW_UNVERIFIED_EMAIL": True,  # nobody registers by themselves
    }


SECOND_FACTOR_FORMS = {
    "authenticate": "accounts.sign_in.second_factor_forms.CodeForm",
    "authenticate_webauthn": "accounts.sign_in.second_factor_forms.PasskeyForm",
    "activate_totp": "accounts.sign_in.second_factor_forms.AppForm",
    "add_webauthn": "accounts.sign_in.second_factor_forms.NewPasskeyForm",
}
