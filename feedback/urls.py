from django.urls import path

from feedback.api import FeedbackViewSet
from feedback.pages.reports import feedback, feedback_list, forget

api = [
    path("feedback", FeedbackViewSet.as_view({"get": "list", "post": "create"})),
    path("feedback/<id:report_id>", FeedbackViewSet.as_view({"get": "retrieve"})),
]

pages = [
    path("feedback", feedback, name="feedback"),
    path("feedback/<id:report_id>/forget", forget, name="forget_draft"),
    path("settings/feedback", feedback_list, name="feedback_list"),
]
