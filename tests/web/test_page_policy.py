"""The policy that is written once a host is the one that the library writes for each answer."""

import pytest
from csp.constants import HEADER
from csp.middleware import CSPMiddleware
from django.http import HttpResponse
from django.test import RequestFactory, override_settings

from web.page_policy import PagePolicy

HOSTS = ["lab.example", "lab.example:8000", "127.0.0.1", "[::1]:8000"]


def policy_of(middleware, way, *, host, path):
    request = RequestFactory().get(path, headers={"Host": host})
    middleware.process_request(request)
    return set(way(middleware, request, HttpResponse()).headers[HEADER].split("; "))  # the order is no promise


@pytest.mark.parametrize("path", ["/", "/runs", "/admin/", "/admin/runs/run/"])
@pytest.mark.parametrize("host", HOSTS)
@override_settings(ALLOWED_HOSTS=["*"])
def test_the_same_is_written(host, path):
    middleware = PagePolicy(lambda request: HttpResponse())

    short = policy_of(middleware, PagePolicy.process_response, host=host, path=path)

    assert short == policy_of(middleware, CSPMiddleware.process_response, host=host, path=path)
    scripts = next(directive for directive in short if directive.startswith("script-src"))
    assert f"{host}/static/" in scripts or host.startswith("[")


@override_settings(ALLOWED_HOSTS=["*"])
def test_one_host_is_not_told_of_another():
    middleware = PagePolicy(lambda request: HttpResponse())
    first = [policy_of(middleware, PagePolicy.process_response, host=host, path="/") for host in HOSTS]

    again = [policy_of(middleware, PagePolicy.process_response, host=host, path="/") for host in HOSTS]

    assert first == again
    assert not any("lab.example" in directive for directive in again[2])


def test_an_answer_of_its_own_policy_keeps_it():
    middleware = PagePolicy(lambda request: HttpResponse())
    answer = HttpResponse()
    answer._csp_replace = {"img-src": ["https://elsewhere.example"]}
    request = RequestFactory().get("/")
    middleware.process_request(request)

    assert "https://elsewhere.example" in middleware.process_response(request, answer).headers[HEADER]
