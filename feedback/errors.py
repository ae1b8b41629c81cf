from wire.errors import ServiceError


class TrackerUnavailable(ServiceError):
    status, code = 502, "TRACKER_UNAVAILABLE"
