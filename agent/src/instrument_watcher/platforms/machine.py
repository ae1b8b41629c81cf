"""What tells one computer from another even where one disk is a copy of the other: the addresses of its network cards.

A copied disk carries every file along, Linux' machine-id and Windows' MachineGuid too; the cards stay with the machine
(and virtual machines get new addresses when they are cloned). Addresses that software makes up are left out: on Linux
those of cards without a device, elsewhere those with the "locally administered" bit (IEEE 802).
"""

import sys
from pathlib import Path

import psutil

LOCALLY_ADMINISTERED = 0x02


def card_addresses() -> frozenset[str]:
    """Addresses of the network cards, such as 3c:7c:3f:12:34:56; none where they cannot be told."""
    found = {
        address.address.lower().replace("-", ":")
        for name, addresses in psutil.net_if_addrs().items()
        for address in addresses
        if address.family == psutil.AF_LINK and _is_card(name, address.address)
    }
    return frozenset(found - {"00:00:00:00:00:00"})


if sys.platform == "linux":

    def _is_card(name: str, address: str) -> bool:
        return Path("/sys/class/net", name, "device").exists()

else:

    def _is_card(name: str, address: str) -> bool:
        first = address.replace("-", ":").partition(":")[0]
        return not int(first or "ff", 16) & LOCALLY_ADMINISTERED
