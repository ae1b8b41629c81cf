"""Tests of what Windows does not have, or wine only pretends to: why, by file."""

NOT_ON_WINDOWS = {
    "test_systemd.py": "units of systemd",
    "test_wizard.py": "a pseudo-terminal, in which a person types",
    "test_figures.py": "measures by /proc, and never in the suite",
    "test_attack.py": "links, and files renamed over open ones",
    "test_page_in_a_browser.py": "Chromium for Linux",
}
