"""Words by which a vendor's file is known where allotropy has no sniffer, though it has a parser.

They claim only: whether the file is read is the parser's word.
"""

from collections.abc import Callable, Mapping

import openpyxl
from allotropy.named_file_contents import NamedFileContents
from allotropy.parser_factory import Vendor

SHEETS_OF_CALLS = {"Target_Call", "Target Call"}  # of Diomni 4.2 and 4.3
SHEETS_OF_RESULTS = {"Results", "Primary_result"}  # beside which it is an export of Design & Analysis
Sniffer = Callable[[NamedFileContents], bool]


def holds_target_calls(contents: NamedFileContents) -> bool:
    """A workbook of Diomni that holds its calls, without the results that Design & Analysis has."""
    sheets = set(openpyxl.load_workbook(contents.get_bytes_stream(), read_only=True).sheetnames)
    return bool(sheets & SHEETS_OF_CALLS) and not sheets & SHEETS_OF_RESULTS


OWN_SNIFFERS: Mapping[Vendor, Sniffer] = {Vendor.THERMO_FISHER_DIOMNI: holds_target_calls}
