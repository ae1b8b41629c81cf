"""What the words of a JCAMP-DX header mean for people: axes, times and facts."""

import re
from datetime import datetime, timedelta, timezone, tzinfo

import numpy as np

from processing.formats.curve import Axis
from processing.processors.jcamp.records import Block
from processing.processors.jcamp.traces import Quantity, Trace

RELATIVE_ABUNDANCE = "Relative abundance"
X_AXES = {
    "1/CM": ("Wavenumber", "1/cm"),
    "CM-1": ("Wavenumber", "1/cm"),
    "CM^-1": ("Wavenumber", "1/cm"),
    "CM**-1": ("Wavenumber", "1/cm"),
    "WAVENUMBERS": ("Wavenumber", "1/cm"),
    "WAVENUMBERS (CM-1)": ("Wavenumber", "1/cm"),
    "WAVENUMBER (CM-1)": ("Wavenumber", "1/cm"),
    "MICROMETERS": ("Wavelength", "µm"),
    "NANOMETERS": ("Wavelength", "nm"),
    "NM": ("Wavelength", "nm"),
    "SECONDS": ("Time", "s"),
    "MILLISECONDS": ("Time", "ms"),
    "MICROSECONDS": ("Time", "µs"),
    "MINUTES": ("Time", "min"),
    "HZ": ("Frequency", "Hz"),
    "PPM": ("Chemical shift", "ppm"),
    "M/Z": ("m/z", None),
    "VOLTS": ("Potential", "V"),
    "V": ("Potential", "V"),
    "DEGREES": ("Angle", "°"),
}
Y_AXES = {
    "ABSORBANCE": ("Absorbance", "AU"),
    "TRANSMITTANCE": ("Transmittance", None),
    "% TRANSMITTANCE": ("Transmittance", "%"),
    "%TRANSMITTANCE": ("Transmittance", "%"),
    "PERCENT TRANSMITTANCE": ("Transmittance", "%"),
    "REFLECTANCE": ("Reflectance", None),
    "LOG(1/R)": ("log(1/R)", None),
    "LOG (1/R)": ("log(1/R)", None),
    "KUBELKA-MUNK": ("Kubelka-Munk", None),
    "ARBITRARY UNITS": ("Intensity", "a.u."),
    "RELATIVE ABUNDANCE": (RELATIVE_ABUNDANCE, "%"),
    "RELATIVE INTENSITY": ("Relative intensity", None),
    "COUNTS": ("Intensity", "counts"),
    "COUNTS PER SECOND": ("Intensity", "counts/s"),
    "VOLTS": ("Signal", "V"),
    "PICOAMPERES": ("Current", "pA"),
    "NANOAMPERES": ("Current", "nA"),
    "AMPERES": ("Current", "A"),
    "A": ("Current", "A"),
}
NAME_AND_UNIT = re.compile(r"(?P<name>\w[^\[\]()]*?)\s*[\[(](?P<unit>[^\[\]()]+)[\])]")  # t [s]
SYMBOLS = {"t": "Time", "T": "Temperature", "Ts": "Sample temperature", "Tr": "Reference temperature"}
FACT_LABELS = {
    "title": ("TITLE",),
    "data_type": ("DATATYPE",),
    "origin": ("ORIGIN",),
    "owner": ("OWNER",),
    "instrument": ("SPECTROMETERDATASYSTEM", "INSTRUMENT"),
    "sample_id": ("SAMPLEDESCRIPTION", "NAMES"),
    "molecular_formula": ("MOLFORM",),
    "cas_registry_number": ("CASREGISTRYNO",),
    "resolution": ("RESOLUTION",),
    "observe_nucleus": (".OBSERVENUCLEUS",),
    "observe_frequency_mhz": (".OBSERVEFREQUENCY",),
    "solvent": (".SOLVENTNAME",),
    "sampling_procedure": ("SAMPLINGPROCEDURE",),
    "state": ("STATE",),
}
LONG_DATE = re.compile(
    r"(\d{4})[/-](\d{1,2})[/-](\d{1,2})(?:[ T]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d*)?)?)?(?:\s*([+-])(\d{2}):?(\d{2}))?"
)
SHORT_DATE = re.compile(r"(\d{2})/(\d{2})/(\d{2})$")
WORDED_DATE = re.compile(r"(\d{1,2})[- /]([A-Za-z]{3})[a-z]*[- /,]+(\d{4})\b")
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
PIVOT_YEAR = 70  # 69/01/01 is 2069, 70/01/01 is 1970: the format is of 1988


def build_x_axis(trace: Trace, *, data_type: str) -> Axis:
    label, unit = choose_label_and_unit(trace.x_quantity, X_AXES)
    runs_left = True if unit == "Hz" and "NMR" in data_type.upper() else None
    return Axis(label, unit, is_reversed=runs_left)


def build_y_axis(trace: Trace) -> Axis:
    label, unit = choose_label_and_unit(trace.y_quantity, Y_AXES)
    is_share = unit != "%" or label != RELATIVE_ABUNDANCE or np.nanmax(trace.y) <= 100
    return Axis(label, unit if is_share else None)  # of 999 or 1000 in many libraries of spectra


def choose_label_and_unit(quantity: Quantity, words: dict[str, tuple[str, str | None]]) -> tuple[str, str | None]:
    """The label that the file gives, else the usual one of its unit; a unit that is not known is kept as it stands.

    "t [s]" in place of a unit is both.
    """
    units = " ".join((quantity.units or "").upper().split())
    label, unit = words.get(units, (None, quantity.units))
    named = NAME_AND_UNIT.fullmatch((quantity.units or "").strip())
    if label is None and named:
        label, unit = SYMBOLS.get(named["name"], named["name"]), named["unit"]
    own = (quantity.name or "").partition("/")[0].strip()
    return (label or own.capitalize() or quantity.symbol), unit


def facts_of(block: Block) -> dict[str, str]:
    return {key: text for key, labels in FACT_LABELS.items() if (text := block.text(*labels))}


def measured_at(block: Block, *, zone: tzinfo) -> datetime | None:
    """LONGDATE, or DATE with TIME. Without an offset it is the instrument's own time."""
    stated = block.text("LONGDATE") or " ".join(filter(None, (block.text("DATE"), block.text("TIME"))))
    found = LONG_DATE.match(expand_year(number_month(stated)))
    if found is None:
        return None
    numbers = [int(part or 0) for part in found.groups()[:6]]
    try:
        return datetime(*numbers, tzinfo=offset_of(found) or zone)  # type: ignore[arg-type, misc]
    except ValueError:
        return None


def number_month(stated: str) -> str:
    """15-MAR-1998 as 1998/03/15."""
    found = WORDED_DATE.match(stated)
    if found is None or (month := found[2].lower()) not in MONTHS:
        return stated
    return f"{found[3]}/{MONTHS.index(month) + 1:02}/{int(found[1]):02}{stated[found.end() :]}"


def expand_year(stated: str) -> str:
    date, _, time = stated.partition(" ")
    short = SHORT_DATE.match(date)
    if short is None:
        return stated
    century = 20 if int(short[1]) < PIVOT_YEAR else 19
    return f"{century}{date} {time}"


def offset_of(found: re.Match[str]) -> tzinfo | None:
    if found[7] is None:
        return None
    offset = timedelta(hours=int(found[8]), minutes=int(found[9]))
    return timezone(offset if found[7] == "+" else -offset)
