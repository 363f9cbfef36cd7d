"""The optimizer as a library: one call for an expensive objective, or ask and tell. It knows nothing of studies."""
