"""The forms of second factors, as django-allauth reads them from the settings."""

SECOND_FACTOR_FORMS = {
    "authenticate": "accounts.second_factor_forms.CodeForm",
    "authenticate_webauthn": "accounts.second_factor_forms.PasskeyForm",
    "activate_totp": "accounts.second_factor_forms.AppForm",
    "add_webauthn": "accounts.second_factor_forms.NewPasskeyForm",
}
