"""What create_admin and create_user share: an e-mail address and a password from the environment or the terminal."""

import getpass
import os
import sys
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_email

from accounts.members import NewPerson, create_person
from wire.errors import ServiceError
from wire.input_gate import text_fault
from wire.names import name_fault

MAX_EMAIL, MAX_NAME = 254, 100  # what their columns hold


class PersonCommand(BaseCommand):
    password_variable: str
    always_admin = False

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("email")
        parser.add_argument("--name", default="", help="the name others see")

    def handle(self, *, email: str, name: str, **options: Any) -> None:
        is_admin = self.always_admin or options.get("admin", False)
        try:
            validate_email(email)
            for what, text, most in (("e-mail address", email, MAX_EMAIL), ("name", name, MAX_NAME)):
                if fault := _find_fault(text, most=most):
                    raise CommandError(f"The {what}: {fault}")
            password = self.read_password()
            validate_password(password)
            create_person(NewPerson(email, password, name, is_admin=is_admin))
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from None
        except ServiceError as error:
            raise CommandError(error.message) from None
        self.stdout.write(f"{email} can sign in now{' as an admin' if is_admin else ''}.")

    def read_password(self) -> str:
        given = os.environ.get(self.password_variable)
        if given:
            return given
        if not sys.stdin.isatty():
            raise CommandError(f"Set {self.password_variable}, or run this in a terminal to be asked for a password.")
        first = getpass.getpass("Password: ")
        if getpass.getpass("Again: ") != first:
            raise CommandError("The two passwords differ.")
        return first


def _find_fault(text: str, *, most: int) -> str | None:
    if len(text) > most:
        return f"Too long: at most {most} characters."
    return text_fault(text, multiline=False) or (name_fault(text) if text else None)
