"""Who comes into the embedded PostgreSQL: whoever has a role's password, over the socket."""

import hashlib
from collections.abc import Iterator, Mapping

ACCESS_FILE, ACCESS_NOTE = "pg_hba.conf", "ids_access"
RULES_OF_ACCESS = ("# Written by the service.", "local all all scram-sha-256")
NO_POWERS = "LOGIN NOSUPERUSER NOCREATEROLE NOREPLICATION NOBYPASSRLS"


def describe_access(passwords: Mapping[str, str]) -> str:
    """What a cluster was set up with, without telling it: its note is compared at each start."""
    told = "\n".join([*RULES_OF_ACCESS, *(f"{role} {password}" for role, password in sorted(passwords.items()))])
    return hashlib.sha256(told.encode()).hexdigest()


def list_password_statements(passwords: Mapping[str, str], *, superuser: str = "postgres") -> Iterator[str]:
    """For a single-user server, which takes one statement a line. Roles that are missing are made."""
    yield "SET password_encryption = 'scram-sha-256'"
    yield "SET log_min_error_statement = 'panic'"  # a statement that fails is not written down with its password
    for role, password in passwords.items():
        if role != superuser:
            made = f"CREATE ROLE {role}"
            yield f"DO $$ BEGIN {made}; EXCEPTION WHEN duplicate_object THEN NULL; END $$"
            yield f"ALTER ROLE {role} {NO_POWERS}"
        yield f"ALTER ROLE {role} PASSWORD '{password}'"
