"""In a real browser: from the printed link to the first admin, out, in again, and around."""

import re
import warnings

import pytest
import requests
from playwright.sync_api import expect

from tests.browser import chromium, visit
from tests.factories import PASSWORD
from tests.service import Service

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import oidc_provider_mock

INES = "ines.okafor@halden.example"

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def provider():
    """An identity provider that knows one colleague."""
    with oidc_provider_mock.run_server_in_thread(require_client_registration=False) as server:
        url = f"http://localhost:{server.server_port}"
        claims = {"email": "mei@halden.example", "email_verified": True, "name": "Mei-Lin Zhou"}
        requests.put(f"{url}/users/mei", json=claims, timeout=60).raise_for_status()
        yield url


@pytest.fixture(scope="module")
def service(tmp_path_factory, provider):
    """A service with an identity provider."""
    oidc = {"OIDC_ISSUER": provider, "OIDC_CLIENT_ID": "ids", "OIDC_CLIENT_SECRET": "secret", "OIDC_NAME": "Lab ID"}
    with Service(tmp_path_factory.mktemp("sign-in") / "data", **oidc) as service:
        yield service


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture
def empty_service(tmp_path):
    """That nobody has used yet, whichever test comes first."""
    with Service(tmp_path / "data") as service:
        yield service


@pytest.fixture
def first_link(empty_service):
    said = re.search(rf"{empty_service.url}(/accounts/first/\S+/)", empty_service.log.read_text())
    assert said
    return said[1]


@pytest.fixture
def with_ines(service):
    """An account to sign in with, whichever test comes first."""
    if INES not in service.manage("shell", "-v0", "-c", LIST_PEOPLE):
        service.manage("create_admin", INES, "--name", "Ines Okafor", IDS_ADMIN_PASSWORD=PASSWORD)


LIST_PEOPLE = "from accounts.models import User; print(*User.objects.values_list('email', flat=True))"


def sign_in(page, password=PASSWORD):
    page.get_by_label("E-mail").fill(INES)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def sign_out(page):
    page.get_by_text("Ines Okafor").click()
    page.get_by_role("button", name="Sign out").click()


def test_the_printed_link_makes_the_first_admin_who_can_leave_and_return(empty_service, browser, first_link):
    with visit(browser, empty_service.url) as ines:
        ines.page.goto(first_link)
        ines.page.get_by_label("E-mail").fill(INES)
        ines.page.get_by_label("Your name").fill("Ines Okafor")
        ines.page.get_by_label("Password").fill(PASSWORD)
        ines.page.get_by_role("button", name="Create the account").click()
        expect(ines.page.get_by_role("heading", name="Three steps to the first run")).to_be_visible()

        sign_out(ines.page)
        expect(ines.page).to_have_url(f"{empty_service.url}/accounts/login/")

        sign_in(ines.page)
        expect(ines.page.get_by_role("heading", name="Three steps to the first run")).to_be_visible()


def test_a_wrong_password_is_said_and_the_right_one_leads_to_where_one_wanted(service, browser, with_ines):
    with visit(browser, service.url) as ines:
        ines.page.goto("/")
        sign_in(ines.page, "not this one")
        expect(ines.page.get_by_role("alert")).to_have_text("Address or password is wrong.")
        expect(ines.page.get_by_label("E-mail")).to_have_value(INES)

        sign_in(ines.page)

        expect(ines.page).to_have_url(f"{service.url}/")


@pytest.mark.parametrize("script", [True, False])
def test_a_colleague_comes_in_by_the_identity_provider(service, browser, with_ines, script):
    with visit(browser, service.url, java_script_enabled=script) as mei:
        mei.page.goto("/runs")
        assert mei.trouble == []
        mei.page.get_by_role("link", name="Continue with Lab ID").click()
        mei.page.get_by_placeholder("sub").fill("mei")
        mei.page.get_by_role("button", name="Authorize").click()

        expect(mei.page).to_have_url(f"{service.url}/runs")
        expect(mei.page.get_by_text("Mei-Lin Zhou")).to_be_visible()
        assert mei.page.request.get("/settings/members").status == 403
        mei.trouble.clear()  # of the provider's own page
        mei.page.goto("/")


def test_everything_works_without_script(service, browser, with_ines):
    with visit(browser, service.url, java_script_enabled=False) as ines:
        ines.page.goto("/")
        sign_in(ines.page)
        sign_out(ines.page)

        expect(ines.page).to_have_url(f"{service.url}/accounts/login/")


def test_the_chosen_colours_answer_at_once_and_stay(service, browser, with_ines):
    with visit(browser, service.url, color_scheme="light") as ines:
        ines.page.goto("/")
        sign_in(ines.page)
        ines.page.get_by_text("Ines Okafor").click()
        ines.page.wait_for_load_state()  # what is chosen is remembered
        ines.page.get_by_label("Dark").check()
        ines.page.goto("/api/docs")

        scheme = ines.page.evaluate("getComputedStyle(document.documentElement).colorScheme")

        assert scheme == "dark"


def test_an_open_menu_closes_on_escape_and_on_a_click_elsewhere(service, browser, with_ines):
    with visit(browser, service.url) as ines:
        ines.page.goto("/")
        sign_in(ines.page)
        menu = ines.page.get_by_role("button", name="Sign out")

        ines.page.get_by_text("Ines Okafor").click()
        expect(menu).to_be_visible()
        ines.page.wait_for_load_state()  # keys are listened to
        ines.page.keyboard.press("Escape")
        expect(menu).to_be_hidden()

        ines.page.get_by_text("Ines Okafor").click()
        ines.page.get_by_role("heading").first.click()
        expect(menu).to_be_hidden()


def test_a_link_to_a_call_opens_it(service, browser):
    with visit(browser, service.url) as reader:
        reader.page.goto("/api/docs#run_create")

        expect(reader.page.locator("#run_create")).to_be_visible()
        expect(reader.page.locator("#run_create")).to_contain_text("detected_files[].relative_path")


@pytest.mark.parametrize("width", [360, 768, 1280, 1920])
@pytest.mark.parametrize("path", ["/accounts/login/", "/accounts/first/spent/", "/api/docs", "/"])
def test_no_page_scrolls_sideways(service, browser, with_ines, width, path):
    with visit(browser, service.url, viewport={"width": width, "height": 800}) as ines:
        if path == "/":
            ines.page.goto("/accounts/login/")
            sign_in(ines.page)
            expect(ines.page).to_have_url(f"{service.url}/")
        ines.page.goto(path)

        fits = ines.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        ines.trouble = [text for text in ines.trouble if "404" not in text]  # the spent link is one on purpose

    assert fits
