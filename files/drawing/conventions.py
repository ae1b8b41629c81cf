"""How the fields draw their axes: which run to the left, which are logarithmic, and how units are written.

Asked where a reader makes a curve and where a page draws rows of datasets. It imports nothing: readers are isolated.
"""

import re

REVERSED_UNITS = {"1/cm", "cm-1", "cm^-1", "cm⁻¹", "ppm"}
RUNS_RIGHT = re.compile(r"raman", re.IGNORECASE)  # shifts in 1/cm too, counted from the laser's line
RUNS_LEFT = re.compile(r"binding energy", re.IGNORECASE)
SCATTERING_VECTOR = re.compile(r"q\b|scattering vector|momentum transfer", re.IGNORECASE)
RECIPROCAL_LENGTH = re.compile(r"(1/|per )?(å|a|angstroms?|nm|nanometers?|m)(-1|\^-1|\*\*-1|⁻¹)?", re.IGNORECASE)
TRANSMITTANCE = re.compile(r"transmi(ttance|ssion)", re.IGNORECASE)
WAVELENGTH = re.compile(r"wave ?length", re.IGNORECASE)
PLAIN_UNITS = {
    "1/cm": "cm⁻¹",
    "cm-1": "cm⁻¹",
    "cm^-1": "cm⁻¹",
    "1/nm": "nm⁻¹",
    "nm-1": "nm⁻¹",
    "nm^-1": "nm⁻¹",
    "1/angstrom": "Å⁻¹",
    "1/a": "Å⁻¹",
    "1/å": "Å⁻¹",
    "å-1": "Å⁻¹",
    "å^-1": "Å⁻¹",
    "angstrom^-1": "Å⁻¹",
    "angstrom": "Å",
    "angstroms": "Å",
    "1/s": "s⁻¹",
    "1/min": "min⁻¹",
    "s-1": "s⁻¹",
    "deg": "°",
    "degree": "°",
    "degrees": "°",
    "degc": "°C",
    "deg c": "°C",
    "celsius": "°C",
    "degrees celsius": "°C",
    "degf": "°F",
    "kelvin": "K",
    "micrometer": "µm",
    "micron": "µm",
    "microns": "µm",
    "nanometer": "nm",
    "ohm": "Ω",
    "ohms": "Ω",
    "sec": "s",
    "seconds": "s",
    "minutes": "min",
    "hours": "h",
}
MICRO = re.compile(r"(?<![A-Za-z])u(?=(L|l|m|M|g|s|A|V|W|S|mol|N)(?![A-Za-z]))")
GREEK_MU = "\u03bc"  # written as the micro sign, which looks the same


def runs_left(label: str, unit: str | None) -> bool:
    """Of an abscissa: wavenumbers of infrared and ppm run to the left, and the binding energies of XPS."""
    in_reversed_unit = (unit or "").lower() in REVERSED_UNITS and not RUNS_RIGHT.search(label)
    return in_reversed_unit or RUNS_LEFT.search(label) is not None


def has_bands_below(label: str, *, is_reversed: bool) -> bool:
    """Of an ordinate: the bands of infrared transmittance are its lowest places. A filter's are its highest."""
    return is_reversed and TRANSMITTANCE.search(label) is not None


def is_sweep(label: str, unit: str | None) -> bool:
    """Of an abscissa: wavelengths, which end where the instrument does and not where anything is highest."""
    return WAVELENGTH.search(label) is not None or (unit or "").lower() == "nm"


def is_scattering(label: str, unit: str | None) -> bool:
    """Of an abscissa: the q of small-angle scattering, whose curves are looked at on logarithmic axes."""
    return bool(SCATTERING_VECTOR.match(label) and unit and RECIPROCAL_LENGTH.fullmatch(unit.strip()))


def write_unit(unit: str) -> str:
    """As people write it: cm⁻¹ for 1/cm, µL for uL, ° for deg. What scripts get stays as it was stored."""
    plain = PLAIN_UNITS.get(unit.strip().lower())
    return plain or MICRO.sub("µ", unit).replace(GREEK_MU, "µ")


def write_title(label: str, unit: str) -> str:
    """Label and unit of an axis or a column, the unit once: headers of files may hold it already."""
    for ending in (f"({unit})", f"[{unit}]"):
        label = label.removesuffix(ending).rstrip() or label
    written = write_unit(unit)
    return f"{label} ({written})" if written else label
