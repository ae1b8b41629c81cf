from typing import Any

from accounts.management.person_command import PersonCommand


class Command(PersonCommand):
    help = "Add a person."
    requires_system_checks = ()  # they take longer than the command
    password_variable = "IDS_USER_PASSWORD"

    def add_arguments(self, parser: Any) -> None:
        super().add_arguments(parser)
        parser.add_argument("--admin", action="store_true", help="give the admin role")
