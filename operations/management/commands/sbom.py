import json
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.core.management.base import BaseCommand

from operations.sbom import build_sbom, read_lock
from wire.clock import now


class Command(BaseCommand):
    help = "Writes the bill of materials (CycloneDX 1.6, JSON) to the standard output: every package of the release."
    requires_system_checks = ()

    def handle(self, **options: Any) -> None:
        packages = read_lock((settings.BASE_DIR / "requirements.lock").read_text())
        document = build_sbom(packages, version=settings.VERSION, serial=uuid4(), at=now())
        self.stdout.write(json.dumps(document, indent=2))
