"""`./ids manage doctor`: what is less safe here than it could be, and what to do about it."""

import sys
from typing import Any

from django.core.management.base import BaseCommand

from operations.doctor import examine
from operations.findings import Finding

HEADINGS = Finding("WHAT", "STATE", "WHAT TO DO")


class Command(BaseCommand):
    help = "Examine this installation. Ends with 1 where there is something to do."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        findings = examine()
        self.stdout.write(format_table([HEADINGS, *findings]))
        if any(finding.remedy for finding in findings):
            sys.exit(1)


def format_table(findings: list[Finding]) -> str:
    subjects = max(len(finding.subject) for finding in findings)
    states = max(len(finding.state) for finding in findings)
    lines = (f"{one.subject:{subjects}}  {one.state:{states}}  {one.remedy}".rstrip() for one in findings)
    return "\n".join(lines)
