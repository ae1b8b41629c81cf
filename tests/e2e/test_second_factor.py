"""In a real browser: an app and a passkey are set up, sign in, and sign a run."""

import time

import pytest
import requests
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from playwright.sync_api import expect

from tests.browser import chromium, visit
from tests.factories import PASSWORD
from tests.service import Service
from wire.clock import now

pytestmark = [pytest.mark.browser, pytest.mark.slow]
INES = "ines.okafor@halden.example"
AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """Passkeys belong to a host name: the browser asks for localhost."""
    begun = Service(tmp_path_factory.mktemp("factors") / "data")
    begun.url = begun.environ["PUBLIC_URL"] = f"http://localhost:{begun.port}"
    with begun as service:
        service.manage("create_admin", INES, "--name", "Ines Okafor", IDS_ADMIN_PASSWORD=PASSWORD)
        yield service


def take_first_step(page):
    page.goto("/accounts/login/")
    page.get_by_label("E-mail").fill(INES)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def code_of(secret):
    """One that lasts until it is sent: the service takes none of the half minute before."""
    ends_in = 30 - now().timestamp() % 30
    if ends_in < 20:
        time.sleep(ends_in)
    return format_hotp_value(hotp_value(secret, int(now().timestamp()) // 30))


def set_up(page, device, **changes):
    """A device of this browser, and an app and a passkey of Ines."""
    device.send("WebAuthn.enable")
    options = AUTHENTICATOR | changes
    made = device.send("WebAuthn.addVirtualAuthenticator", {"options": options})["authenticatorId"]
    take_first_step(page)
    page.get_by_role("navigation", name="Main").wait_for()
    page.goto("/settings/security/app")
    page.get_by_text("Type it instead").click()
    secret = page.locator(".fold code").inner_text()
    page.get_by_label("Code").fill(code_of(secret))
    page.get_by_role("button", name="Set up").click()
    expect(page.get_by_role("heading", name="Keep these codes where your password is not")).to_be_visible()
    page.goto("/settings/security/passkey")
    page.get_by_label("Name").fill("Laptop in the lab")
    page.get_by_role("button", name="Add it").click()
    expect(page.locator(".name", has_text="Laptop in the lab")).to_be_visible()
    return made


def add_run(service):
    token = service.manage("create_token", "script", "--scopes", "instruments:create,runs:create").strip()
    for path, body in (("instruments", {"id": "reader"}), ("instruments/reader/runs", {"run_id": "plate-7"})):
        sent = requests.post(
            f"{service.url}/api/v1/{path}", json=body, headers={"Authorization": f"Bearer {token}"}, timeout=30
        )
        assert sent.ok, sent.text
    return "/instruments/reader/runs/plate-7"


def test_an_app_and_a_passkey_are_set_up_and_sign_in_and_sign(service):
    run = add_run(service)
    with chromium() as browser, visit(browser, service.url) as person:
        page = person.page
        devices = page.context.new_cdp_session(page)
        device = set_up(page, devices)
        page.context.clear_cookies()

        take_first_step(page)
        page.get_by_role("button", name="Use a passkey").click()

        expect(page).to_have_url(f"{service.url}/")
        page.goto("/settings/security")
        expect(page.get_by_role("table", name="Sessions").get_by_role("row")).to_have_count(3)  # the heads, and two
        page.get_by_role("button", name="Sign out everywhere else").click()
        expect(page.get_by_role("table", name="Sessions").get_by_role("row")).to_have_count(2)

        devices.send("WebAuthn.setUserVerified", {"authenticatorId": device, "isUserVerified": False})
        page.goto(f"{run}/sign")
        page.get_by_label("I have").select_option("approved")
        page.get_by_role("button", name="Sign with a passkey").press("Enter")
        expect(page.locator("[data-told]")).to_contain_text("The browser gave no passkey")

        devices.send("WebAuthn.setUserVerified", {"authenticatorId": device, "isUserVerified": True})
        page.get_by_role("button", name="Sign with a passkey").press("Enter")
        expect(page.get_by_text("Signed as approved by Ines Okafor.")).to_be_visible()
        expect(page.get_by_role("region", name="Signatures")).to_contain_text("Ines Okafor, approved")

        page.goto(f"{run}/sign")
        page.get_by_label("I have").select_option("approved")
        page.get_by_role("button", name="Sign with a passkey").press("Enter")
        expect(page.locator("[data-told]")).to_contain_text("You have signed this run as approved already.")
        person.trouble.clear()  # the browser writes the 409 down
