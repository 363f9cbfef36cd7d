"""Configs and sweeps: YAML files to validated studies, and studies to trial specs."""
