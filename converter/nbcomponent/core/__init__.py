"""Diagnostics, places, atomic files and processes: what every other room builds on."""
