from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.tokens import create_token
from wire.clock import now
from wire.errors import ServiceError
from wire.input_gate import text_fault
from wire.names import name_fault


class Command(BaseCommand):
    help = "Make an access token and print its text, alone, on stdout. It is shown this once."
    requires_system_checks = ()  # they take longer than the command

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("name")
        parser.add_argument("--scopes", required=True, help="comma-separated, such as runs:read,files:read")
        parser.add_argument("--expires-days", type=int, help="days until it stops working; without it, never")

    def handle(self, *, name: str, scopes: str, expires_days: int | None, **options: Any) -> None:
        if not 1 <= len(name) <= 100:
            raise CommandError("The name has 1 to 100 characters.")
        if fault := text_fault(name, multiline=False) or name_fault(name):
            raise CommandError(fault)
        if expires_days is not None and not 1 <= expires_days <= 36_500:
            raise CommandError("--expires-days is a number from 1 to 36500.")
        at = now()
        expires_at = at + timedelta(days=expires_days) if expires_days else None
        try:
            new = create_token(
                name=name,
                scopes=[part.strip() for part in scopes.split(",") if part.strip()],
                by=None,
                expires_at=expires_at,
                at=at,
            )
        except ServiceError as error:
            raise CommandError(error.message) from None
        self.stdout.write(new.text)
