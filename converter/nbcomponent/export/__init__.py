"""Writing a component: script, component.yml, contract.yml, conda.yml and pipeline.yml."""
