"""The paper's own tables and claims, and ours held against them."""
