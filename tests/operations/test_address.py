import socket

import pytest

from operations.embedded.address import Address
from operations.embedded.errors import EmbeddedError


def test_a_taken_port_is_named():
    with Address("127.0.0.1", 0).listen() as listener:
        port = listener.getsockname()[1]

        with pytest.raises(EmbeddedError, match=f"Port {port} of 127.0.0.1 is taken by another program"):
            Address("127.0.0.1", port).listen()


def test_an_address_of_another_machine_is_named():
    with pytest.raises(EmbeddedError, match=r"Port 0 of 192\.0\.2\.1 cannot be used: the address is not one"):
        Address("192.0.2.1", 0).listen()


def test_an_unknown_host_is_named():
    with pytest.raises(EmbeddedError, match=r"The host 'nowhere\.invalid' is unknown"):
        Address("nowhere.invalid", 8000).listen()


@pytest.mark.parametrize(
    ("host", "url"), [("127.0.0.1", "http://127.0.0.1:"), ("::1", "http://[::1]:"), ("localhost", "http://localhost:")]
)
def test_the_public_url_is_the_address_served(host, url):
    address = Address(host, 0)

    with address.listen() as listener:
        assert address.url(listener) == f"{url}{listener.getsockname()[1]}"


def test_a_service_that_listens_everywhere_names_an_address_others_can_use():
    address = Address("0.0.0.0", 0)

    with address.listen() as listener:
        assert "0.0.0.0" not in address.url(listener)


def test_answers_in_two_writes_do_not_wait_for_acknowledgements():
    with Address("127.0.0.1", 0).listen() as listener, socket.create_connection(listener.getsockname()):
        connection, _ = listener.accept()

        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        connection.close()
