"""The settings of deploy/ids.env: nothing to warn of, and cookies that leave it only encrypted."""

import json
import os
import subprocess
import sys

import pytest

from tests.service import CHECKOUT

SHIPPED = (CHECKOUT / "deploy" / "ids.env").read_text()
PRODUCTION = {
    name: value
    for name, _, value in (line.partition("=") for line in SHIPPED.splitlines() if line and not line.startswith("#"))
    if name not in ("DATABASE_URL", "REDIS_URL", "IDS_DATA")
} | {"SECRET_KEY": "k3y-of-this-deployment-that-nobody-else-has-ever-seen-0123456789"}
SHOWN = (
    *("SESSION_COOKIE_SECURE", "SESSION_COOKIE_HTTPONLY", "SESSION_COOKIE_SAMESITE", "CSRF_COOKIE_SECURE"),
    *("SESSION_COOKIE_NAME", "CSRF_COOKIE_NAME"),
    *("CSRF_COOKIE_SAMESITE", "CSRF_COOKIE_HTTPONLY", "SECURE_HSTS_SECONDS", "DEBUG", "ALLOWED_HOSTS"),
)


def python(*arguments, **variables):
    """A command with the environment of a deployment, on the servers of the tests."""
    environ = os.environ | PRODUCTION | {"DJANGO_SETTINGS_MODULE": "config.settings"} | variables
    return subprocess.run([sys.executable, *arguments], env=environ, capture_output=True, text=True, timeout=120)


def settings(**variables):
    shown = f"{{name: getattr(settings, name) for name in {SHOWN}}}"
    told = f"import json; from django.conf import settings; print(json.dumps({shown}))"
    return json.loads(python("-c", told, **variables).stdout)


@pytest.mark.slow
def test_django_has_nothing_to_warn_of():
    done = python("-m", "django", "check", "--deploy", "--fail-level", "WARNING")

    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout


def test_cookies_leave_an_https_service_encrypted_only():
    assert settings() == {
        "SESSION_COOKIE_SECURE": True,
        "SESSION_COOKIE_HTTPONLY": True,
        "SESSION_COOKIE_SAMESITE": "Lax",
        "SESSION_COOKIE_NAME": "__Host-sessionid",
        "CSRF_COOKIE_SECURE": True,
        "CSRF_COOKIE_NAME": "__Host-csrftoken",
        "CSRF_COOKIE_SAMESITE": "Lax",
        "CSRF_COOKIE_HTTPONLY": False,
        "SECURE_HSTS_SECONDS": 31_536_000,
        "DEBUG": False,
        "ALLOWED_HOSTS": ["127.0.0.1", "[::1]", "lab-data.example", "localhost"],
    }


def test_without_https_they_still_work():
    found = settings(PUBLIC_URL="http://127.0.0.1:8000")

    assert (found["SESSION_COOKIE_SECURE"], found["CSRF_COOKIE_SECURE"], found["SECURE_HSTS_SECONDS"]) == (
        False,
        False,
        0,
    )


@pytest.mark.parametrize("secret", ["", "short"])
def test_nothing_starts_without_a_secret(secret):
    done = python("-c", "from django.conf import settings; settings.DEBUG", SECRET_KEY=secret)

    assert done.returncode != 0
    assert "SECRET_KEY must be set" in done.stderr
