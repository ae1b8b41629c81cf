"""`./ids manage sbom`."""

import json
from importlib.metadata import version
from io import StringIO

from django.core.management import call_command

from operations.sbom import LockedPackage, read_lock
from tests.service import CHECKOUT


def written():
    output = StringIO()
    call_command("sbom", stdout=output)
    return json.loads(output.getvalue())


def test_every_package_of_the_lock_is_in_the_bill_with_its_version():
    lines = [
        line for line in (CHECKOUT / "requirements.lock").read_text().splitlines() if "==" in line.partition(";")[0]
    ]

    document = written()

    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.6")
    assert len(document["components"]) == len(lines) > 50
    purls = {one["purl"] for one in document["components"]}
    assert f"pkg:pypi/django@{version('django')}" in purls
    assert document["dependencies"] == [{"ref": "service", "dependsOn": sorted(purls)}]
    assert len({one["bom-ref"] for one in document["components"]}) == len(lines)


def test_licences_are_those_that_installed_packages_tell():
    known = {one["name"]: one.get("licenses") for one in written()["components"]}

    assert known["django"] == [{"license": {"name": "BSD License"}}] or "expression" in known["django"][0]


def test_a_lock_is_read_with_extras_markers_and_hashes():
    lock = (
        'psycopg[binary]==3.3.0 ; python_version >= "3.11" \\\n    --hash=sha256:00 \\\n'
        'uvloop==0.22.1 ; sys_platform != "win32"\n'
    )

    assert read_lock(lock) == [
        LockedPackage("psycopg", "3.3.0", 'python_version >= "3.11"'),
        LockedPackage("uvloop", "0.22.1", 'sys_platform != "win32"'),
    ]


def test_two_bills_have_two_numbers():
    assert written()["serialNumber"] != written()["serialNumber"]
