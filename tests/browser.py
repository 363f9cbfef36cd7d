"""Helpers of tests that look at pages in Chromium."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Page

needs_chromium = pytest.mark.skipif(
    not shutil.which("chromium") and os.environ.get("CI") != "true", reason="Chromium is not installed; CI has it"
)

# Words of tables and labels that are not on one line though they are short: for a script of a page.
BROKEN_WORDS = """() => {
    const found = [], range = document.createRange();
    for (const cell of document.querySelectorAll("th, td, label")) {
        const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
        while (texts.nextNode())
            for (const word of texts.currentNode.data.matchAll(/(?<![^\\s-])[^\\s-]{1,14}(?![^\\s-])/g)) {
                range.setStart(texts.currentNode, word.index);
                range.setEnd(texts.currentNode, word.index + word[0].length);
                if (range.getClientRects().length > 1) found.push(word[0]);
            }
    }
    return found;
}"""


def wait_until(place: Page | Frame, condition: str) -> None:
    """Wait until an expression is true in a page whose security policy forbids Playwright's own wait_for_function."""
    for _ in range(300):
        if place.evaluate(condition):
            return
        place.wait_for_timeout(100)
    raise AssertionError(f"never true: {condition}")
