"""Watches an instrument's folder and brings its files to the Instrument Data Service, losing nothing."""

__version__ = "0.1.0"
