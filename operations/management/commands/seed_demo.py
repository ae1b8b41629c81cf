from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from accounts.models import User
from instruments.models import Instrument
from operations.demo.laboratory import follow_instruments, make_instruments, make_people
from operations.demo.messages import make_inbox, make_reports, make_tokens
from operations.demo.reread_plate import make_reread_plate
from operations.demo.runs import DemoLaboratory, make_runs
from operations.demo.series import make_series
from operations.demo.showcase import make_showcase
from operations.demo.watcher_history import make_watcher_history
from processing.thumbnails import draw_stored
from wire.clock import now


class Command(BaseCommand):
    help = "Fill an empty database with a laboratory to look at: people, instruments, watchers, runs."

    @transaction.atomic
    def handle(self, **options: Any) -> None:
        if Instrument.objects.exists():
            raise CommandError("There are instruments already; only an empty database is filled.")
        at = now()
        people = make_people()
        lab = DemoLaboratory(people, make_instruments(owner=people[0], at=at), at)
        make_series(lab)
        make_reread_plate(lab)
        make_runs(lab)
        showcase = make_showcase(lab)
        drawn = sum(made for _, made in draw_stored())
        make_watcher_history(lab.instruments, at=at)
        make_tokens(lab)
        make_reports(lab)
        for admin in User.objects.filter(is_admin=True):
            follow_instruments(admin, "cary-60-uvvis-bench-3", "synergy-neo2", "akta-pure-25")
            make_inbox(admin, lab, showcase)
        self.stdout.write(f"{len(people)} people, {len(lab.instruments)} instruments and their runs were made.")
        self.stdout.write(f"{drawn} runs have a thumbnail.")
