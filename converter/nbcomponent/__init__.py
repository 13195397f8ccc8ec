"""Tagged notebook cells become Azure Machine Learning components that can be trusted."""

__version__ = "0.1.0"
