"""The bill of materials of this release: what requirements.lock names, as CycloneDX 1.6 (ECMA-424) in JSON.

The lock says versions, for every platform at once; what is installed here says licences.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import PackageNotFoundError, metadata
from typing import Any
from uuid import UUID

from wire.clock import format_timestamp

REQUIREMENT = re.compile(
    r"(?P<name>[A-Za-z0-9][\w.-]*)(?:\[[\w,-]+\])?==(?P<version>[^\s;\\]+)(?:\s*;\s*(?P<marker>[^\\]+))?"
)
NAME_SEPARATORS = re.compile(r"[-_.]+")


@dataclass(frozen=True)
class LockedPackage:
    """One line of a lock; `marker` says where it is installed, empty for everywhere."""

    name: str
    version: str
    marker: str = ""

    @property
    def purl(self) -> str:
        return f"pkg:pypi/{NAME_SEPARATORS.sub('-', self.name).lower()}@{self.version}"


def read_lock(text: str) -> list[LockedPackage]:
    """The packages of a lock, in its order."""
    found = (REQUIREMENT.match(line) for line in text.splitlines())
    return [LockedPackage(one["name"], one["version"], (one["marker"] or "").strip()) for one in found if one]


def build_sbom(packages: list[LockedPackage], *, version: str, serial: UUID, at: datetime) -> dict[str, Any]:
    """The document. `serial` is of this one alone."""
    root = {"type": "application", "bom-ref": "service", "name": "instrument-data-service", "version": version}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{serial}",
        "version": 1,
        "metadata": {"timestamp": format_timestamp(at), "component": root},
        "components": [_describe_package(package) for package in packages],
        "dependencies": [{"ref": "service", "dependsOn": sorted({package.purl for package in packages})}],
    }


def _describe_package(package: LockedPackage) -> dict[str, Any]:
    licence, marker = _find_licence(package.name), package.marker
    return {
        "type": "library",
        "bom-ref": package.purl + (f"#{marker}" if marker else ""),
        "name": package.name,
        "version": package.version,
        "purl": package.purl,
        **({"licenses": [licence]} if licence else {}),
        **({"properties": [{"name": "python:marker", "value": marker}]} if marker else {}),
    }


def _find_licence(name: str) -> dict[str, Any] | None:
    """As the package says it: an SPDX expression, else a name from its classifiers; None where it is not installed."""
    try:
        told = metadata(name)
    except PackageNotFoundError:
        return None
    if "License-Expression" in told:
        return {"expression": told["License-Expression"]}
    classified = [line for line in told.get_all("Classifier") or [] if line.startswith("License :: OSI Approved :: ")]
    return {"license": {"name": classified[0].rpartition(" :: ")[2]}} if classified else None
