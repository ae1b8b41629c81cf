"""What the people of a field call a trace."""

import pytest

from files.drawing.trace_names import join_names, name_trace

TIME, INTENSITY = ("Time", "s"), ("Intensity", "a.u.")
CASES = {
    "hplc": (("Retention time", "min"), ("Absorbance", "mAU"), "liquid chromatography", "Chromatograms"),
    "hplc in seconds": (TIME, ("Signal", "V"), "HPLC", "Chromatograms"),
    "cyclic voltammetry": (("Potential", "V"), ("Current", "µA"), "cyclic voltammetry", "Voltammograms"),
    "solar cell": (("X", "V"), ("Y", "A"), "iv spectrum", "Current-voltage curves"),
    "impedance": (("Z'", "Ohm"), ("-Z''", "Ohm"), "impedance spectroscopy", "Nyquist plots"),
    "response units": (TIME, ("Response", "RU"), "", "Sensorgrams"),
    "library": (("Size", "bp"), ("Sample intensity", "FU"), "", "Electropherograms"),
    "thermal shift": (("Temperature", "°C"), ("Fluorescence", "RFU"), "thermal shift assay", "Melting curves"),
    "growth": (("Time", "h"), ("OD600", "AU"), "", "Growth curves"),
    "infrared": (("Wavenumber", "1/cm"), ("Transmittance", None), "infrared spectrum", "Spectra"),
    "1d nmr": (("Chemical shift", "ppm"), INTENSITY, "NMR", "NMR spectra"),
    "2d nmr": (("F2", "ppm"), ("F1", "ppm"), "NMR", "2D NMR spectra"),
    "fid": (TIME, INTENSITY, "NMR", "FIDs"),
    "mass": (("m/z", None), INTENSITY, "mass spectrometry", "Mass spectra"),
    "qpcr": (("Cycle count", "#"), ("Fluorescence", "RFU"), "qpcr", "Amplification curves"),
    "melting": (("Temperature", "°C"), ("Fluorescence", "RFU"), "qpcr", "Melting curves"),
    "diffraction": (("2θ", "°"), ("Intensity", "counts"), "XRD", "Diffractograms"),
    "cytometry": (("Intensity", None), ("Events", "per bin"), "flow cytometry", "Histograms"),
    "reader": (("Elapsed time", "s"), ("Fluorescence", "RFU"), "plate reader", "Kinetics"),
    "thermogravimetry": (("Temp.", "°C"), ("Mass", "%"), "TGA", "Thermograms"),
    "a logger": (TIME, ("Pressure", "kPa"), "", "Time courses"),
    "nothing known": (("A", None), ("B", None), "", "Curves"),
}


def curve(x, y, label="A1"):
    axes = {"x": {"label": x[0], "unit": x[1]}, "y": {"label": y[0], "unit": y[1]}}
    return {"format": "ids-curve/1", **axes, "series": [{"label": label, "x": [1], "y": [1]}]}


@pytest.mark.parametrize(("x", "y", "technique", "expected"), CASES.values(), ids=CASES)
def test_a_trace_is_named_by_axes_and_technique(x, y, technique, expected):
    assert name_trace(curve(x, y), technique=technique).plural == expected


def test_a_label_says_what_a_nameless_ordinate_holds():
    assert name_trace(curve(("Time", "h"), ("Value", None), label="OD600 of A1")).plural == "Growth curves"


def test_a_run_of_several_techniques_is_named_by_all_of_them():
    assert name_trace(curve(("Time", "s"), ("Signal", None)), technique=["HPLC", "XRD"]).plural == "Chromatograms"


@pytest.mark.parametrize(
    ("slugs", "expected"),
    [
        (["spectrum"], "Spectra"),
        (["chromatogram", "mass-spectrum"], "Chromatograms, mass spectra"),
        (["chromatogram", "growth", "nmr"], "Curves"),
        (["chromatogram", "unheard-of"], "Curves"),
        ([], "Curves"),
    ],
)
def test_a_list_is_named_by_what_it_holds(slugs, expected):
    assert join_names(slugs).plural == expected
