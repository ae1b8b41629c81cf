"""Path parameters. A value of the wrong form matches no route, so it is 404 (docs/interface.md, Conventions)."""

import re
import uuid

from django.urls import register_converter

from wire.input_gate import CONTROL_CHARACTERS

MAX_FILE_ID = 2**63 - 1


class SlugConverter:
    """An instrument: 1 to 64 of a-z, 0-9 and hyphens."""

    regex = "[a-z0-9-]{1,64}"

    def to_python(self, value: str) -> str:
        return value

    to_url = to_python


class RunIdConverter:
    """A run's own id. See runs: 1 to 255 characters, no separators, no outer spaces, not `.` or `..`."""

    regex = r"[^/\\]{1,255}"

    def to_python(self, value: str) -> str:
        if value != value.strip(" ") or value in (".", "..") or "\ufffd" in value or CONTROL_CHARACTERS.search(value):
            raise ValueError
        return value

    def to_url(self, value: str) -> str:
        return value


class FileIdConverter:
    """A positive 64-bit integer in ASCII digits."""

    regex = "[1-9][0-9]{0,18}"

    def to_python(self, value: str) -> int:
        if int(value) > MAX_FILE_ID or not re.fullmatch(self.regex, value, re.ASCII):
            raise ValueError
        return int(value)

    def to_url(self, value: int) -> str:
        return str(value)


class UuidConverter:
    """A UUID in its canonical form."""

    regex = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"

    def to_python(self, value: str) -> uuid.UUID:
        return uuid.UUID(value)

    def to_url(self, value: uuid.UUID) -> str:
        return str(value)


register_converter(SlugConverter, "slug_id")
register_converter(RunIdConverter, "run_id")
register_converter(FileIdConverter, "file_id")
register_converter(UuidConverter, "id")
