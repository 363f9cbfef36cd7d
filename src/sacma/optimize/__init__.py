"""The optimizer as a library: one call for an expensive objective, or ask and tell. Knows nothing of studies."""
