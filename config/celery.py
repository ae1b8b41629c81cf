"""The Celery app. Whatever runs Django imports it: tasks would otherwise bind to an app that has no broker."""

import os
from typing import Any

from celery import Celery, Task

from wire.acting import acting, service

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


class Work(Task):
    """A task that says in the trail who it is."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with acting(service(f"task {self.name}"), request_id=self.request.id):
            return self.run(*args, **kwargs)


app = Celery("ids", task_cls=Work)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
