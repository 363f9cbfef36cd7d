"""Configs and sweeps: YAML files, validated studies and their trial specs."""
