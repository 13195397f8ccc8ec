"""Reading notebooks: cells, tags and IPython syntax. Reading never runs anything."""
