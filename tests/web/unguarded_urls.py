"""The service's routes, but the members page came without its guard."""

import inspect

from django.urls import path

from config.urls import *  # noqa: F403
from config.urls import urlpatterns as guarded
from dashboard.accounts.members import member_list

urlpatterns = [path("settings/members", inspect.unwrap(member_list), name="members"), *guarded]
