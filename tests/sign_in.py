"""A person's browser session with a running service, through the local form."""

import re

import requests

from tests.service import Service

PASSWORD = "correct horse battery staple"


def sign_in(service: Service, email: str, *options: str) -> requests.Session:
    """A new person, with the options of create_user."""
    service.manage("create_user", email, *options, IDS_USER_PASSWORD=PASSWORD)
    browser = requests.Session()
    browser.trust_env = False
    page = f"{service.url}/accounts/login/"
    hidden = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', browser.get(page, timeout=60).text)
    assert hidden is not None
    form = {"login": email, "password": PASSWORD, "csrfmiddlewaretoken": hidden[1]}
    answer = browser.post(page, data=form, headers={"Referer": page}, allow_redirects=False, timeout=60)
    assert answer.status_code == 302, answer.text
    browser.headers.update({"X-CSRFToken": str(browser.cookies["csrftoken"]), "Referer": service.url})
    return browser
