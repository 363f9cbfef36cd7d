"""Figures of studies: tables in, matplotlib figures out, in one style for screen and print."""
