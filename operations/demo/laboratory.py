"""The people, instruments and watchers of the demonstration laboratory."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from accounts.models import Token, User
from accounts.scopes import PRESETS
from accounts.token_texts import generate_token_text, token_digest
from instruments.instrument_types import GENERIC
from instruments.models import Instrument, InstrumentStatus
from notifications.models import Follow
from watchers.choices import UploadMode, WatcherStatus
from watchers.models import Watcher

TIME_ZONE = "Europe/Berlin"
PEOPLE = {
    "ines.okafor": "Ines Okafor",
    "tomas.vlcek": "Tomáš Vlček",
    "sorine.dahl": "Sørine Dahl-Kristoffersen",
    "meilin.zhou": "Mei-Lin Zhou",
    "priya.raman": "Priya Raman",
    "jonas.albrecht": "Jonas Albrecht",
}


@dataclass(frozen=True)
class Machine:
    """An instrument, the computer beside it (host, folder, patterns) and for how many minutes that is silent."""

    id: str
    name: str
    status: InstrumentStatus = InstrumentStatus.ACTIVE
    host: str = ""
    folder: str = ""
    patterns: tuple[str, ...] = ()
    silent_minutes: int = 0
    mode: UploadMode = UploadMode.AUTO
    type: str = GENERIC


PENDING, INACTIVE = InstrumentStatus.PENDING, InstrumentStatus.INACTIVE
CARY_FOLDER = r"C:\Users\Public\Documents\Cary WinUV\Exports\Kinetics and scans, bench 3"
MACHINES = (
    Machine(
        "cary-60-uvvis-bench-3",
        "Cary 60 UV-Vis · bench 3",
        host="CARY60-BENCH3",
        folder=CARY_FOLDER,
        patterns=("*.jdx", "*.dsw", "*.pdf"),
        mode=UploadMode.MANUAL,
    ),
    Machine(
        "synergy-neo2",
        "Synergy Neo2",
        host="NEO2-PC",
        folder=r"D:\Gen5 exports",
        patterns=("*.txt", "*.xlsx"),
        type="agilent-gen5",
    ),
    Machine(
        "biacore-t200",
        "Biacore T200",
        host="BIACORE-T200",
        folder=r"C:\BiaUsers\Published",
        patterns=("*.blr",),
        type="cytiva-biacore-t200-control",
    ),
    Machine(
        "zeiss-axio-observer-z1-imaging-core",
        "Widefield microscope Z1, room 2.14 (shared with the imaging core)",
        host="zeiss-z1",
        folder=r"E:\Acquisition",
        patterns=("*.tif", "*.czi"),
    ),
    Machine(
        "akta-pure-25",
        "ÄKTA pure 25, cold room 1.07",
        host="AKTA-1-07",
        folder=r"C:\UNICORN\Export",
        silent_minutes=190,
        type="cytiva-unicorn",
    ),
    Machine(
        "quantstudio-7-a",
        "QuantStudio 7 A",
        host="QS7-A",
        folder=r"C:\Applied Biosystems\Exports",
        type="appbio-quantstudio",
    ),
    Machine(
        "tapestation-4200",
        "TapeStation 4200",
        host="TAPESTATION",
        folder=r"C:\TapeStation\Data",
        type="agilent-tapestation-analysis",
    ),
    Machine(
        "vi-cell-blu",
        "Vi-CELL BLU",
        host="VICELL",
        folder=r"D:\Export",
        patterns=("*.csv",),
        type="beckman-vi-cell-blu",
    ),
    Machine("ftir-spectrum-two", "FT-IR Spectrum Two"),
    Machine("hplc-2", "HPLC 2, bench 4"),
    Machine("q-exactive-hf", "Q Exactive HF", host="QE-HF", folder=r"D:\Xcalibur\data", patterns=("*.mzML",)),
    Machine("nanodrop-one-bench-5", "NanoDrop One, bench 5", PENDING, host="ND-ONE-5", folder=r"C:\NanoDrop\Export"),
    Machine("zetasizer-nano-zs", "Zetasizer Nano ZS", INACTIVE),
)


def make_people() -> list[User]:
    """Without passwords: nobody signs in as them."""
    return [User.objects.create_user(f"{name}@lab.example", None, display_name=shown) for name, shown in PEOPLE.items()]


def make_token(name: str, *, owner: User) -> Token:
    """Its text is thrown away."""
    text = generate_token_text()
    scopes = sorted(PRESETS["Watcher"])
    return Token.objects.create(digest=token_digest(text), prefix=text[:12], name=name, scopes=scopes, created_by=owner)


def make_instruments(*, owner: User, at: datetime) -> dict[str, Instrument]:
    """By id, with their watchers."""
    made = {}
    for machine in MACHINES:
        made[machine.id] = Instrument.objects.create(
            id=machine.id, display_name=machine.name, status=machine.status, time_zone=TIME_ZONE,
            instrument_type=machine.type, created_at=at - timedelta(days=400),
        )  # fmt: skip
        if machine.host:
            _make_watcher(machine, made[machine.id], owner=owner, at=at)
    return made


def follow_instruments(user: User, *names: str) -> None:
    Follow.objects.bulk_create([Follow(user=user, instrument_id=name) for name in names])


def _make_watcher(machine: Machine, instrument: Instrument, *, owner: User, at: datetime) -> None:
    stopped = machine.id == "vi-cell-blu"
    Watcher.objects.create(
        instrument=instrument,
        token=make_token(f"Watcher {machine.host}", owner=owner),
        hostname=machine.host,
        os_info="Windows 10 22H2",
        agent_version="0.1.0",
        status=WatcherStatus.STOPPED if stopped else WatcherStatus.WATCHING,
        upload_mode=machine.mode,
        watch_directory=machine.folder,
        file_patterns=list(machine.patterns),
        last_heartbeat_at=at - timedelta(minutes=machine.silent_minutes, seconds=20),
        created_at=at - timedelta(days=200),
    )
