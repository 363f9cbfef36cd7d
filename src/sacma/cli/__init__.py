"""The command line: parsing, progress, messages and exit codes; nothing else. A module is a command."""
