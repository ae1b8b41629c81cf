"""What answers callers who have not signed in, and why. Every other route declares its policy, or refuses everybody."""

PUBLIC_ROUTES = {
    # asked by machines
    "livez": "Supervisors ask whether the process answers.",
    "readyz": "Load balancers ask whether the service can work.",
    "metrics": "Judges by itself: this machine, or a token that may read the system's status.",
    # tell what the interface is, and nothing that is stored
    "openapi.json": "Tools read it before they have a token.",
    "api/v1/openapi.json": "The same document, beside what it describes.",
    "api/docs": "The same document as a page.",
    # what programs are written with
    "client/": "pip looks for the wheel here, and has no session.",
    "client/<str:filename>": "The wheel itself, made of public sources.",
    # where computers come in
    "api/v1/enrol": "The enrolment code is the credential.",
    "api/v1/tokens/exchange": "The one-time code of `ids-data login`, with its PKCE verifier, is the credential.",
    # where people come in and go
    "accounts/login/": "Asks for the password.",
    "accounts/second-factor/": "The second step of a sign-in; who has not done the first is sent back to it.",
    "accounts/logout/": "Ends a session; who has none is sent home.",
    "accounts/inactive/": "Tells people who were switched off why they cannot sign in.",
    "accounts/oidc/login/": "Leads to the identity provider.",
    "accounts/oidc/login/callback/": "The identity provider leads back here; its code is the credential.",
    "accounts/first/<str:secret>/": "The one-time link to become the first admin: the secret is the credential.",
    "accounts/invited/<str:secret>/": "An invitation: likewise.",
    "accounts/password/<id:user_id>/<str:secret>/": "The one-time link to set a password: likewise.",
    # where outsiders look at one run
    "shared/<str:secret>/": "A link to one run: the secret is the credential.",
    "shared/<str:secret>/files/<file_id:file_id>": "One of its files: likewise.",
    "admin": "Adds the slash.",
    "admin/login/": "Leads to the one sign-in page.",
    # the OAuth protocol: clients have no session
    ".well-known/oauth-authorization-server": "Says where the endpoints are (RFC 8414).",
    ".well-known/oauth-protected-resource/<path:resource_path>": "Says who issues tokens (RFC 9728).",
    "oauth/authorize": "Sends people to sign in by itself, then asks for their consent.",
    "oauth/token": "The client's code or refresh token is the credential.",
    "oauth/revoke": "The token to end is the credential.",
    "oauth/register": "Clients introduce themselves; they get nothing until a person consents.",
    "oauth/register/<str:client_id>": "The client's registration token is the credential.",
    # beside Django
    "objects/": "The signature of the URL is the credential.",
}
