"""sacma: surrogate-assisted CMA-ES, the optimizer and its COCO/BBOB benchmark harness."""

__version__ = "0.1.0"
