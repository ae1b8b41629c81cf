"""The Celery app. Whatever runs Django imports it: tasks would otherwise bind to an app that has no broker."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("ids")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
