"""Names, scopes and dataflow between cells: what a component needs from outside its own cells."""
