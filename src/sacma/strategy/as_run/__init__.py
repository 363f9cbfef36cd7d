"""Parts as the published code of the paper's authors has them, where that differs from the paper.

Only ``configs/as_run`` uses them. Algorithm 1 and the parts of the paper do not know them.
"""
