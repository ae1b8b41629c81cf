"""Trading a code, for tests."""

from tests.clients import Api

ROUTE = "/api/v1/enrol"


CODE = "ABCD-EFGH-JKMN-PQRS"


INSTANCE = "0190f2b4-0000-7000-8000-000000000001"


COMPUTER = {"code": CODE, "hostname": "bench-5", "instance_id": INSTANCE}


def enrol(**said):
    return Api().post(ROUTE, COMPUTER | said)
