"""Terms are explained where they stand for themselves."""

from sacma.analysis.table_format import html_text
from sacma.analysis.terms import TERMS, explained


def test_the_first_of_each() -> None:
    """Once in a text, whatever stands around it, and not within names."""
    shown = explained(html_text("After #FE_t/3 and #FE_t the ERT of ERT-2, MyERT and ERTs; Δf_med, F_F"))
    assert shown.count("<abbr") == 4
    assert '">#FE<sub>t</sub></abbr>/3 and #FE<sub>t</sub>' in shown
    assert '">ERT</abbr> of ERT-2, MyERT and ERTs' in shown


def test_markup_stays_text() -> None:
    """What was escaped is not undone."""
    assert explained(html_text("<b>ERT</b>")).startswith("&lt;b&gt;<abbr")
    assert all('"' not in text and "<" not in text for text in TERMS.values())
