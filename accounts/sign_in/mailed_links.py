"""One-time links by mail, where EMAIL_URL names a server.

Sent while the admin waits, and never kept: whoever reads the database must not find a link. The admin sees it too,
so mail that does not arrive locks nobody out.
"""

import logging
import smtplib
from uuid import UUID

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string

from accounts.models import Invitation, User

logger = logging.getLogger(__name__)


def mail_invitation(invitation: Invitation, *, link: str) -> bool:
    """Whether the mail server took it."""
    told = {"link": link, "is_new": True, "inviter": invitation.invited_by.name, "ends_at": invitation.expires_at}
    return _mail(invitation.email, "Your invitation to the Instrument Data Service", told)


def mail_password_link(*, user_id: UUID, link: str) -> bool:
    """Whether the mail server took it."""
    person = User.objects.get(pk=user_id)
    return _mail(person.email, "A link to set your password", {"link": link, "is_new": False, "name": person.name})


def _mail(address: str, subject: str, told: dict[str, object]) -> bool:
    if not settings.EMAIL_URL:
        return False
    mail = EmailMessage(
        subject=subject,
        body=render_to_string("accounts/link_mail.txt", told),
        to=[address],
        headers={"Auto-Submitted": "auto-generated"},
    )
    try:
        return bool(mail.send())
    except (smtplib.SMTPException, OSError) as fault:
        logger.warning("a link could not be mailed", extra={"reason": type(fault).__name__})
        return False
