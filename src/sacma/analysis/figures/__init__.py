"""Figures of studies: tables in, matplotlib figures out, in one style for screen and print.

A module has one kind of figure; ``files`` writes them. No function here looks at files or changes matplotlib's
settings for others.
"""

from sacma.analysis.figures.control import control_frequency
from sacma.analysis.figures.convergence import convergence, convergence_on
from sacma.analysis.sections.cpu import cpu_time
from sacma.analysis.figures.critical import critical_differences, critical_differences
from sacma.analysis.sections.ecdf import ecdf
from sacma.analysis.figures.evolution import evolution
from sacma.analysis.figures.files import render, write
from sacma.analysis.figures.groups import Ranking, groups_alike
from sacma.analysis.figures.heatmap import decades_heatmap, rank_heatmap
from sacma.analysis.figures.ranks import mean_rank_panels
from sacma.analysis.figures.transfer import transfer_functions

__all__ = [
    "Ranking",
    "control_frequency",
    "convergence",
    "convergence_on",
    "cpu_time",
    "critical_differences",
    "critical_differences",
    "decades_heatmap",
    "ecdf",
    "evolution",
    "groups_alike",
    "mean_rank_panels",
    "rank_heatmap",
    "render",
    "transfer_functions",
    "write",
]
