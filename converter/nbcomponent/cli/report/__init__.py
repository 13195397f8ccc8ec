"""Reports of findings: pure functions from file reports to text. They know nothing of rules."""
