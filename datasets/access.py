"""Who may read what was measured, as numbers."""

from files.access import READ as READ
