"""Tools of figures: one style for screen and print, layout in points, thinned curves, checked rows, files.

What draws a figure is in the file of its section. Such a function takes a data frame and returns a matplotlib
``Figure``; ``algorithms`` are those of the study, in its order, which gives them their looks, and ``partial`` says in
the figure that trials are missing. It raises a ValueError where there is nothing to draw, or the table does not say
what. No function here looks at files, but for ``files``, or changes matplotlib's settings for others.
"""

from sacma.files.drawing import load_matplotlib

load_matplotlib()
