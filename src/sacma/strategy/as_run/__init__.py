"""Parts of the published code of the paper's authors, where it differs from the paper.

Only ``configs/as_run`` uses them. Algorithm 1 and the parts of the paper do not know them.
"""
