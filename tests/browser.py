"""Whether Chromium is there for tests that look at pages."""

import os
import shutil

import pytest

needs_chromium = pytest.mark.skipif(
    not shutil.which("chromium") and os.environ.get("CI") != "true", reason="Chromium is not installed; CI has it"
)
