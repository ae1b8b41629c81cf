"""What the demonstration's people and scripts told one another: the inbox of an admin, tokens, reports."""

from datetime import timedelta

from accounts.models import Token, User
from accounts.scopes import PRESETS
from feedback.models import FeedbackKind, FeedbackStatus, Report
from notifications.inbox import store_notifications
from notifications.models import Notification, NotificationKind, SenderKind
from notifications.senders import SERVICE_SENDER, Sender
from operations.demo.laboratory import make_token
from operations.demo.runs import DemoLaboratory
from runs.models import Run

FEEDBACK_REPORTS = (
    ("The CSV export loses the row of units", FeedbackKind.BUG, FeedbackStatus.CLOSED, 41),
    ("Show the lot number of the chip beside the run", FeedbackKind.FEATURE, FeedbackStatus.OPEN, 57),
)
COMMENT_MESSAGE = "Tomáš Vlček on {}: The shoulder at 290 nm is real, it is there in the blank-corrected scan too."


def make_inbox(person: User, lab: DemoLaboratory, showcase: Run) -> None:
    """Two days of messages, the older ones read."""
    colleague = Sender(SenderKind.PERSON, lab.people[1].pk, lab.people[1].display_name)
    script = Sender(SenderKind.TOKEN, Token.objects.latest("created_at").pk, "qc-bot")
    told: list[tuple[int, NotificationKind, str, Sender, Run | None]] = [
        (5, NotificationKind.COMMENT, COMMENT_MESSAGE.format(showcase.run_id), colleague, showcase),
        (
            8,
            NotificationKind.RUN_FAILED,
            f"Run {showcase.run_id} on {showcase.instrument} has a failed file.",
            SERVICE_SENDER,
            showcase,
        ),
        (30, NotificationKind.GENERIC, "384-well QC passed, CV 2.1 % over 32 control wells.", script, None),
        (
            190,
            NotificationKind.WATCHER_OFFLINE,
            "AKTA-1-07 at ÄKTA pure 25, cold room 1.07 has not been heard from.",
            SERVICE_SENDER,
            None,
        ),
        (1_600, NotificationKind.WATCHER_ONLINE, "QS7-A at QuantStudio 7 A is back.", SERVICE_SENDER, None),
    ]
    for run in Run.objects.active().filter(instrument="synergy-neo2").order_by("-happened_at")[:6]:
        told.append(
            (60, NotificationKind.RUN_CREATED, f"New run {run.run_id} on {run.instrument}.", SERVICE_SENDER, run)
        )
    for minutes, kind, message, sender, about in told:
        store_notifications(
            recipients=[person.pk], kind=kind, message=message, sender=sender,
            run_id=about.pk if about else None, at=lab.at - timedelta(minutes=minutes),
        )  # fmt: skip
    Notification.objects.filter(created_at__lt=lab.at - timedelta(days=1)).update(read_at=lab.at)


def make_tokens(lab: DemoLaboratory) -> None:
    """Beside those of the watchers."""
    for days, (name, preset) in enumerate((("qc-bot", "Worker"), ("notebook of Tomáš", "Read only"))):
        token = make_token(name, owner=lab.people[days])
        token.scopes = sorted(PRESETS[preset])
        token.last_used_at = lab.at - timedelta(hours=3 + 20 * days)
        token.expires_at = lab.at + timedelta(days=80)
        token.save()
    Token.objects.filter(watchers__isnull=False).update(last_used_at=lab.at - timedelta(minutes=1))


def make_reports(lab: DemoLaboratory) -> None:
    for number, (title, kind, status, issue) in enumerate(FEEDBACK_REPORTS):
        Report.objects.create(
            kind=kind, title=title, description="Seen with every run since Tuesday.", created_by=lab.people[number],
            created_at=lab.at - timedelta(days=9 - 6 * number), status=status, repository="lab/ids",
            issue_number=issue, url=f"https://tracker.example/lab/ids/issues/{issue}", synced_at=lab.at,
        )  # fmt: skip
