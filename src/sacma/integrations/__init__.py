"""The optimizer behind the interfaces of other libraries, each imported by its own module."""
