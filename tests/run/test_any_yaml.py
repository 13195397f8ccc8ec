"""Whatever stands in a pipeline or component file: findings or one clear error, never a crash."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from nbcomponent.core.errors import UnusableInput
from nbcomponent.run.planner import make_plan
from nbcomponent.schema.pipeline import read_pipeline

KEYS = st.sampled_from(
    [
        *("type", "inputs", "outputs", "jobs", "component", "command", "code", "environment"),
        *("default", "min", "max", "enum", "optional", "path", "mode", "settings", "limits"),
        *("timeout", "distribution", "name", "a", "b", "a-b", "A", "", "../x", "conda_file"),
        *("environment_variables", "additional_includes", "continue_on_step_failure"),
        *("dependencies", "pip", "value", "metrics", "is_deterministic"),
    ]
)
VALUES = st.recursive(
    st.sampled_from(
        [
            *(
                None,
                True,
                0,
                -1,
                1.5,
                float("inf"),
                "",
                "x",
                "./c.yml",
                "azureml:c:1",
                "file:c.yml",
            ),
            *(
                "uri_folder",
                "number",
                "integer",
                "string",
                "boolean",
                "command",
                "pipeline",
                "sweep",
            ),
            *(
                "${{parent.inputs.a}}",
                "${{parent.jobs.a.outputs.b}}",
                "${{parent.outputs.a}}",
                "${{",
            ),
            *(
                "echo ${{inputs.a}}",
                "python x.py $[[--a ${{inputs.a}}]]",
                "$[[",
                "a\0b",
                "../..",
                "🎉",
            ),
        ]
    ),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=25,
)
MAPPINGS = st.dictionaries(KEYS, VALUES, max_size=8)


@settings(max_examples=120, deadline=None)
@given(
    MAPPINGS,
    st.dictionaries(st.sampled_from(["a", "b", "A", "c d"]), MAPPINGS | VALUES, max_size=3),
    MAPPINGS,
    st.booleans(),
)
def test_any_data_is_planned_or_refused(
    head: dict[str, object], jobs: dict[str, object], component: dict[str, object], whole: bool
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if whole:
            jobs = {
                k: {**v, "component": "./c.yml"} if isinstance(v, dict) else v
                for k, v in jobs.items()
            }
        (folder / "c.yml").write_text(_yaml({"type": "command", "command": "echo", **component}))
        (folder / "p.yml").write_text(_yaml({**head, "type": "pipeline", "jobs": jobs}))
        try:
            plan = make_plan(read_pipeline(folder / "p.yml"), {}, folder)
        except UnusableInput:
            return
        assert plan.refused or plan.steps
        assert all(finding.diagnostic.place.line >= 1 for finding in plan.findings)


def _yaml(data: object) -> str:
    return json.dumps(data).replace("Infinity", ".inf")
