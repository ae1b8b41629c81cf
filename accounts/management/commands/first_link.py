from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from accounts.sign_in.first_admin import make_first_link
from wire.clock import now


class Command(BaseCommand):
    help = "Print a one-time link that makes the first admin; nothing once there is one."
    requires_system_checks = ()  # they take longer than the command

    def handle(self, **options: Any) -> None:
        path = make_first_link(at=now())
        if path:
            self.stdout.write(settings.PUBLIC_URL + path)
        else:
            self.stderr.write("There is an admin already. For a lost password: ./ids manage password_link EMAIL")
