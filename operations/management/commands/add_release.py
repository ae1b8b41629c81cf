import re
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from files.release_files import add_release, note_stored_file, store_release_file
from operations.release_keys import read_private_key, sign_file
from watchers.choices import Channel, InstallerSystem
from watchers.models import WatcherRelease
from watchers.releases import NewRelease, add_installer
from wire.clock import now
from wire.errors import ServiceError

VERSION = r"(?P<version>[0-9][0-9A-Za-z.!+]*?)"
UPDATE = re.compile(rf"instrument-watcher-{VERSION}\.zip")
INSTALLERS = {
    InstallerSystem.WINDOWS: re.compile(rf"InstrumentWatcher-{VERSION}\.exe"),
    InstallerSystem.DEB: re.compile(rf"instrument-watcher_{VERSION}_amd64\.deb"),
    InstallerSystem.TAR: re.compile(rf"instrument-watcher-{VERSION}-linux-x86_64\.tar\.gz"),
}


class Command(BaseCommand):
    help = """Hand out what `python -m agent.packaging` built: the files of one version, named as it names them. They go
to the object store; the release is a draft until it is published in the dashboard, Settings, Watcher releases."""
    requires_system_checks = ()

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument("--channel", choices=Channel.values, default=Channel.STABLE)
        parser.add_argument("--notes", default="", help="what is new, for admins")
        parser.add_argument("--key", type=Path, metavar="FILE", help="sign with this private key (release_key)")
        parser.add_argument("--signature", metavar="BASE64", help="made elsewhere: Ed25519 over the .zip")

    def handle(self, *, files: list[Path], key: Path | None, signature: str | None, **options: Any) -> None:
        version = _find_version(files)
        update = next((file for file in files if UPDATE.fullmatch(file.name)), None)
        if (key or signature) and update is None:
            raise CommandError(f"There is no instrument-watcher-{version}.zip to be signed among the files.")
        if key and update:
            signature = sign_file(update, key=read_private_key(key))
        sha256 = store_release_file(update)[0] if update else None
        new = NewRelease(version, options["channel"], notes=options["notes"], sha256=sha256, signature=signature)
        installers = {system: file for file in files if (system := _find_system(file))}
        try:
            with transaction.atomic():
                release = _find_same(new) or add_release(new, by=None, at=now())
                note_stored_file(release)
                for system, file in installers.items():
                    _add_installer(release, system, file)
        except ServiceError as error:
            told = (error.details or {}).get("fields") or {}
            raise CommandError(
                " ".join([error.message, *(text for texts in told.values() for text in texts)])
            ) from None
        state = "published" if release.published_at else "a draft"
        self.stdout.write(f"{release} is {state}, {'signed' if release.signature else 'not signed'}.")


def _find_version(files: list[Path]) -> str:
    """The one that all names tell. Raises CommandError."""
    found = set()
    for file in files:
        named = next((match for form in (UPDATE, *INSTALLERS.values()) if (match := form.fullmatch(file.name))), None)
        if named is None:
            raise CommandError(f"{file.name} is not named as `python -m agent.packaging` names its files.")
        if not file.is_file() or not file.stat().st_size:
            raise CommandError(f"{file} is no file, or an empty one.")
        found.add(named["version"])
    if len(found) != 1:
        raise CommandError(f"These files are of several versions: {', '.join(sorted(found))}.")
    return found.pop()


def _find_same(new: NewRelease) -> WatcherRelease | None:
    """The release that is there already, to which installers are added; what else it is never changes."""
    known = WatcherRelease.objects.filter(version=new.version, channel=new.channel).first()
    if known is None or new.notes not in ("", known.notes):
        return None
    is_same = new.sha256 in (None, known.sha256) and new.signature in (None, known.signature)
    return known if is_same else None


def _find_system(file: Path) -> InstallerSystem | None:
    return next((system for system, form in INSTALLERS.items() if form.fullmatch(file.name)), None)


def _add_installer(release: WatcherRelease, system: InstallerSystem, file: Path) -> None:
    sha256, size = store_release_file(file)
    add_installer(release, system, filename=file.name, size_bytes=size, sha256=sha256)
