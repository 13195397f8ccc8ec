"""What is exported loads in the real Azure ML SDK, offline, and says what the notebook says."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from nbcomponent.contract.model import Interface, Parameter, Port
from nbcomponent.export.component_yaml import component_yaml
from nbcomponent.export.pipeline_yaml import in_dependency_order, pipeline_yaml
from nbcomponent.schema.templates import parse_template
from nbcomponent.schema.yaml_places import dump, parse_yaml

pytestmark = pytest.mark.filterwarnings("ignore")  # The SDK uses deprecated parts of marshmallow.

Exported = Callable[..., Any]
IMAGE = {
    "image": "mcr.microsoft.com/azureml/openmpi5.0-ubuntu24.04:20260901.v1",
    "conda_file": "conda.yml",
}


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


def component(interface: Interface) -> dict[str, Any]:
    return component_yaml(
        interface, script="run_x.py", version="1", environment=IMAGE, notebook="nb.ipynb"
    )


NOTEBOOK = (
    (
        "from pathlib import Path\nfrom typing import Literal\n\n"
        "epochs: int = 3  # passes [1..10]\nrate: float = 1e-5  # a rate [0.0..1.0]\nbalance: bool = True\n"
        'kind: Literal["cnn", "mlp"] = "cnn"\nlimit: int | None = None\nraw: Path = Path("data/raw")\n'
        'prepared: Path = Path("out/prepared")\nmodel: Path = Path("out/model")',
        "parameters",
    ),
    ("component: prepare\noutputs:\n  prepared: {type: uri_folder}\n", "raw", "contract:prepare"),
    (
        'component: train\nversion: "1.10"\ndescription: Fits it\ninputs:\n'
        "  prepared: {type: uri_folder, from: prepare.prepared}\noutputs:\n  model: {type: uri_folder}\n"
        "deterministic: true\ncompute: {target: gpu-cluster}\n"
        "distribution: {type: pytorch, nodes: 2, processes_per_node: 4}\n"
        'environment_variables: {TOKENIZERS_PARALLELISM: "false"}\n',
        "raw",
        "contract:train",
    ),
    ("(prepared / 'n').write_text(str(epochs) + str(list(raw.iterdir())));", "component:prepare"),
    (
        "(model / 'n').write_text(str([list(prepared.iterdir()), epochs, rate, balance, kind, limit]));",
        "component:train",
    ),
)


def test_components_and_pipeline_load_in_the_sdk(exported: Exported) -> None:
    from azure.ai.ml import load_component, load_job

    shop = exported(*NOTEBOOK)
    for name in ("prepare", "train"):
        loaded = load_component(str(shop.script(name).parent / "component.yml"))
        assert loaded._validate().passed
    train = load_component(str(shop.script("train").parent / "component.yml"))
    assert train.version == "1.10"
    assert train.is_deterministic is True
    assert train.distribution.process_count_per_instance == 4
    assert train.resources["instance_count"] == 2
    assert train.inputs["limit"].optional is True
    job = load_job(str(shop.out / "nb" / "pipeline.yml"))
    result = job._validate()
    assert result.passed, result.error_messages
    assert sorted(job.jobs) == ["prepare", "train"]
    inputs = job._to_dict()["jobs"]["train"]["inputs"]
    assert inputs["prepared"]["path"] == "${{parent.jobs.prepare.outputs.prepared}}"
    assert job.jobs["train"].compute == "gpu-cluster"
    assert job.jobs["train"].environment_variables == {"TOKENIZERS_PARALLELISM": "false"}


def test_the_command_is_one_line_in_the_interfaces_order(exported: Exported) -> None:
    shop = exported(*NOTEBOOK)
    data = parse_yaml((shop.script("train").parent / "component.yml").read_text()).data
    assert data["command"] == (
        "python run_train.py --prepared ${{inputs.prepared}} --epochs=${{inputs.epochs}} "
        "--rate=${{inputs.rate}} --balance=${{inputs.balance}} --kind='${{inputs.kind}}' "
        "$[[--limit=${{inputs.limit}}]] --model ${{outputs.model}}"
    )
    assert parse_template(data["command"]).problems == ()
    assert data["inputs"]["epochs"] == {
        "type": "integer",
        "default": 3,
        "min": 1,
        "max": 10,
        "description": "passes",
    }
    assert data["inputs"]["kind"]["enum"] == ["cnn", "mlp"]


def test_data_beside_the_notebook_are_named_from_the_pipelines_folder(exported: Exported) -> None:
    shop = exported(*NOTEBOOK)
    data = parse_yaml((shop.out / "nb" / "pipeline.yml").read_text()).data
    path = data["inputs"]["raw"]["path"]
    assert path == "../../work/data/raw"
    assert (shop.out / "nb" / path).resolve() == (shop.folder / "data" / "raw").resolve()
    assert data["outputs"] == {"model": {"type": "uri_folder"}}
    assert data["inputs"]["epochs"] == 3


def test_a_shared_parameter_is_one_input_only_where_type_and_default_agree() -> None:
    one = Interface("one", parameters=(Parameter("n", "integer", 1), Parameter("m", "integer", 1)))
    two = Interface("two", parameters=(Parameter("n", "integer", 1), Parameter("m", "integer", 2)))
    data = pipeline_yaml([one, two], name="nb", notebook_folder="..")
    assert data["inputs"] == {"n": 1, "one_m": 1, "two_m": 2}


def test_a_required_parameter_is_an_empty_input_of_the_pipeline(tmp_path: Path) -> None:
    from azure.ai.ml import load_job

    interface = Interface("one", parameters=(Parameter("n", "integer", required=True),))
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "component.yml").write_text(dump(component(interface)))
    (tmp_path / "one" / "conda.yml").write_text("dependencies: [python=3.11]\n")
    (tmp_path / "one" / "run_x.py").write_text("")
    text = dump(pipeline_yaml([interface], name="nb", notebook_folder=".."))
    (tmp_path / "pipeline.yml").write_text(text)
    job = load_job(str(tmp_path / "pipeline.yml"))
    assert job._validate().passed
    assert parse_yaml(text).data["inputs"] == {"n": ""}


def test_an_empty_or_infinite_default_is_left_to_the_script() -> None:
    interface = Interface(
        "one",
        parameters=(Parameter("text", "string", ""), Parameter("x", "number", float("inf"))),
    )
    data = component(interface)
    assert data["inputs"]["text"] == {"type": "string", "optional": True}
    assert data["inputs"]["x"] == {"type": "number", "optional": True}
    assert data["command"] == (
        "python run_x.py $[[--text='${{inputs.text}}']] $[[--x=${{inputs.x}}]]"
    )


def test_steps_follow_those_that_they_read_from() -> None:
    late = Interface("a", inputs=(Port("x", "x", "uri_file", source="b.x"),))
    early = Interface("b", outputs=(Port("x", "x", "uri_file"),))
    assert [i.component for i in in_dependency_order([late, early])] == ["b", "a"]


def test_outputs_of_one_name_from_two_steps_stay_apart() -> None:
    made = [Interface(n, outputs=(Port("report", "report", "uri_file"),)) for n in ("a", "b")]
    data: Any = pipeline_yaml(made, name="nb", notebook_folder="..")
    assert list(data["outputs"]) == ["a_report", "b_report"]
    assert data["jobs"]["b"]["outputs"] == {"report": "${{parent.outputs.b_report}}"}


def test_an_environment_asset_is_referred_to(exported: Exported) -> None:
    shop = exported(
        ('component: train\nenvironment: {image: "azureml:sklearn:3"}\n', "raw", "contract:train"),
        ("print(1)", "component:train"),
    )
    folder = shop.script().parent
    assert (
        parse_yaml((folder / "component.yml").read_text()).data["environment"]
        == "azureml:sklearn:3"
    )
    assert not (folder / "conda.yml").exists()
