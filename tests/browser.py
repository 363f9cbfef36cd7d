"""Whether Chromium is there for tests that look at pages."""

import os
import shutil

import pytest

needs_chromium = pytest.mark.skipif(
    not shutil.which("chromium") and os.environ.get("CI") != "true", reason="Chromium is not installed; CI has it"
)

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
"""Words of tables and labels that are not on one line though they are short: for a script of a page."""
