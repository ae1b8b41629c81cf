from django.dispatch import Signal

feedback_updated = Signal()  # report, at
