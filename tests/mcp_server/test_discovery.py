"""Where clients learn how to connect."""

import pytest
from django.test import Client

BASE = "http://127.0.0.1:8000"


@pytest.mark.parametrize("path", ["/mcp", "/mcp/v1"])
@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000"])
def test_each_name_of_the_endpoint_has_its_document(path, host):
    said = Client(headers={"Host": host}).get(f"/.well-known/oauth-protected-resource{path}").json()

    assert said["resource"] == BASE + path
    assert said["authorization_servers"] == [BASE]
    assert said["scopes_supported"] == ["read", "write"]
    assert said["bearer_methods_supported"] == ["header"]


@pytest.mark.parametrize("path", ["", "/", "/other", "/mcp/v2", "/mcp/v1/x", "/mcp/", "/.."])
def test_other_resources_do_not_exist(path):
    assert Client().get(f"/.well-known/oauth-protected-resource{path}").status_code == 404


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000"])
def test_the_server_says_what_it_serves_whatever_host_is_asked(host):
    said = Client(headers={"Host": host}).get("/.well-known/oauth-authorization-server").json()

    assert said["issuer"] == BASE
    assert said["authorization_endpoint"] == f"{BASE}/oauth/authorize"
    assert said["token_endpoint"] == f"{BASE}/oauth/token"
    assert said["registration_endpoint"] == f"{BASE}/oauth/register"
    assert said["revocation_endpoint"] == f"{BASE}/oauth/revoke"
    assert said["code_challenge_methods_supported"] == ["S256"]
    assert said["grant_types_supported"] == ["authorization_code", "refresh_token"]
    assert said["response_types_supported"] == ["code"]
    assert said["authorization_response_iss_parameter_supported"] is True
    assert said["client_id_metadata_document_supported"] is True
    assert "introspection_endpoint" not in said


@pytest.mark.parametrize("path", ["/oauth/introspect", "/oauth/applications/", "/oauth/device", "/o/token/"])
def test_the_toolkits_other_pages_are_not_served(path):
    assert Client().get(path).status_code == 404
