"""YAML with places, and typed models of Azure Machine Learning YAML (no SDK)."""
