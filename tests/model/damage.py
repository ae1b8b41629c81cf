"""A second copy of all objects, kept by something else, and a disk that changes bytes by itself."""

import hashlib
import os
import shutil
from pathlib import Path
from random import Random

from files.integrity.scrub import scrub_due_files
from tests.model.stage import aside
from tests.model.world import Laboratory
from wire.clock import now

DATA = "data"


def copy_to_replica(lab: Laboratory, chance: Random) -> None:
    """What it has not got yet, and is right: what it has it keeps."""
    with aside():
        for data in _list_objects(lab.objects):
            copy = lab.replica / data.relative_to(lab.objects)
            if not copy.exists() and data not in lab.damaged:
                shutil.copytree(data.parent, copy.parent)
                lab.copied[copy] = _sum(copy)


def damage(lab: Laboratory, chance: Random) -> None:
    """One bit, with the size and the time as they were. Of what the replica has."""
    there = [data for data in _list_objects(lab.objects) if (lab.replica / data.relative_to(lab.objects)).exists()]
    there = [data for data in there if data.stat().st_size]
    if not there:
        return
    data = chance.choice(there)
    seen, found = data.stat(), bytearray(data.read_bytes())
    found[chance.randrange(len(found))] ^= 1 << chance.randrange(8)
    data.chmod(0o600)
    data.write_bytes(found)
    data.chmod(seen.st_mode)
    os.utime(data, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    lab.damaged.add(data)
    lab.say(f"   the disk changes {data.relative_to(lab.objects)}")


def heal(lab: Laboratory, chance: Random) -> None:
    """Whoever keeps the replica keeps it up to date, and the scrubber reads everything."""
    scrub_due_files(clock=now, read_before=now(), sleep=lambda seconds: None)


def list_changed_copies(lab: Laboratory) -> list[str]:
    """Nothing of the service's ever writes to the replica."""
    return [f"{copy} was changed" for copy, sha256 in lab.copied.items() if not copy.exists() or _sum(copy) != sha256]


def _list_objects(root: Path) -> list[Path]:
    hidden = (".staging", ".uploads", ".damaged")
    return sorted(path for path in root.rglob(DATA) if path.relative_to(root).parts[0] not in hidden)


def _sum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
