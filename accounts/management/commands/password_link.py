from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from accounts.models import User
from accounts.sign_in.password_links import make_password_link


class Command(BaseCommand):
    help = "Print a one-time link by which a person sets a new password; good for a day."
    requires_system_checks = ()  # they take longer than the command

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("email")

    def handle(self, *, email: str, **options: Any) -> None:
        person = User.objects.filter(email=email.strip().lower(), is_active=True).first()
        if person is None:
            raise CommandError(f"Nobody with the address {email} can sign in.")
        self.stdout.write(settings.PUBLIC_URL + make_password_link(person))
