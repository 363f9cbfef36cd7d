"""The optimizer: CMA-ES under surrogate-assisted, generation-based evolution control. Knows no COCO."""
