"""The interface of a component: parameters, inputs, outputs, metrics and what they mean."""
