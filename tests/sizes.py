"""Tests in two sizes: a little of a campaign in every run of the tests, all of it in ``make torture``."""

import pytest


def sizes(name: str, *, small: object, full: object) -> pytest.MarkDecorator:
    """Parametrize a test by how much it does."""
    return pytest.mark.parametrize(
        name, [pytest.param(small, id="small"), pytest.param(full, id="full", marks=pytest.mark.torture)]
    )
