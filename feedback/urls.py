from django.urls import path

from feedback.api import FeedbackViewSet

api = [
    path("feedback", FeedbackViewSet.as_view({"get": "list", "post": "create"})),
    path("feedback/<id:report_id>", FeedbackViewSet.as_view({"get": "retrieve"})),
]
