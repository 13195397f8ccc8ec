"""The renderers: pure functions of file reports."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest

from nbcomponent.analysis.model import Dependency
from nbcomponent.cli.report import github, sarif, text
from nbcomponent.cli.report import json as json_report
from nbcomponent.cli.report.model import ComponentReport, FileReport, exit_code
from nbcomponent.contract.model import Interface, Parameter, Port
from nbcomponent.core.diagnostics import FILE_START, Diagnostic, Fix, Place
from nbcomponent.core.explain import page

HIDDEN = Diagnostic(
    code="NBC101",
    severity="error",
    message="'scale' is set in cell 2 only",
    place=Place(4, 3, 9, 3, 14),
    name="scale",
    defined_in=(2,),
    component="train",
    fix=Fix("tag cell 2 'shared'", "tag-shared"),
)
NOTE = replace(HIDDEN, severity="note", code="NBC252", message="sounds like data", fix=None)
BROKEN = Diagnostic("NBC940", "error", "there is no such file or folder", FILE_START)
SOURCE_LINE = "out = a*scale"
COMPONENT = ComponentReport(
    interface=Interface(
        component="train",
        parameters=(
            Parameter("epochs", "integer", 5, min=1, max=100, description="passes", cell=1, line=2),
            Parameter("kind", "string", required=True, choices=("cnn", "mlp"), cell=1, line=3),
        ),
        inputs=(Port("prepared", "prepared", "uri_folder", source="prepare.prepared"),),
        outputs=(Port("model", "model", "uri_folder", description="weights"),),
    ),
    cells=(4, 5),
    dependencies=(Dependency("scale", "hidden", (2,), 4, 3, 9, "NBC101"),),
)
REPORT = FileReport("a.ipynb", (COMPONENT,), (HIDDEN,), {(4, 3): SOURCE_LINE})
CLEAN = FileReport("b.ipynb")
UNUSABLE = FileReport("c.ipynb", diagnostics=(BROKEN,), outcome="unusable")
FAILED = replace(UNUSABLE, path="d.ipynb", outcome="failed")


def with_message(message: str, path: str = "a.ipynb") -> FileReport:
    return FileReport(path, diagnostics=(replace(HIDDEN, message=message, fix=None),))


class TestExitCode:
    def test_highest_of_the_batch(self) -> None:
        assert exit_code([]) == 0
        assert exit_code([CLEAN]) == 0
        assert exit_code([FileReport("n", diagnostics=(NOTE,))]) == 0
        assert exit_code([REPORT, CLEAN]) == 1
        assert exit_code([UNUSABLE, REPORT]) == 2
        assert exit_code([FAILED, UNUSABLE, REPORT]) == 3

    def test_warning_counts_as_found(self) -> None:
        assert exit_code([FileReport("w", diagnostics=(replace(NOTE, severity="warning"),))]) == 1


class TestText:
    def test_place_line_caret_and_next_step(self) -> None:
        assert text.render([REPORT]) == (
            "a.ipynb: cell 4, line 3:9: error NBC101 'scale' is set in cell 2 only\n"
            "    out = a*scale\n"
            "            ^^^^^\n"
            "  next: tag cell 2 'shared'\n"
            "1 notebook checked: 1 error in 1 notebook\n"
        )

    def test_finding_about_the_whole_file_has_no_place(self) -> None:
        assert text.render([UNUSABLE]).splitlines()[0] == (
            "c.ipynb: error NBC940 there is no such file or folder"
        )

    def test_file_without_cells(self) -> None:
        report = FileReport("p.yml", diagnostics=(replace(NOTE, place=Place(None, 7, 2, 7, 4)),))
        assert text.render([report]).startswith("p.yml: line 7:2: note NBC252")

    def test_summary_counts_all(self) -> None:
        warning = FileReport("w", diagnostics=(replace(NOTE, severity="warning"), NOTE))
        assert text.summary([REPORT, CLEAN, UNUSABLE, FAILED, warning]) == (
            "3 notebooks checked: 3 errors, 1 warning, 1 note in 4 notebooks; "
            "1 notebook cannot be used; 1 notebook made nbcomponent fail"
        )

    def test_summary_names_each_kind_of_file_as_what_it_is(self) -> None:
        settings = replace(UNUSABLE, kind="settings file")
        assert text.summary([CLEAN, UNUSABLE, settings, settings, REPORT]) == (
            "2 notebooks checked: 4 errors in 2 notebooks and 2 settings files; "
            "1 notebook and 2 settings files cannot be used"
        )

    def test_summary_of_nothing(self) -> None:
        assert text.summary([]) == "no notebook checked"

    def test_quiet_leaves_out_notes_and_summary(self) -> None:
        report = replace(REPORT, diagnostics=(HIDDEN, NOTE))
        shown = text.render([report, CLEAN], quiet=True)
        assert "error NBC101" in shown
        assert "note" not in shown
        assert "checked" not in shown

    def test_colours_only_when_asked(self) -> None:
        assert "\x1b" not in text.render([REPORT])
        coloured = text.render([REPORT], colour=True)
        assert "\x1b[1;31merror\x1b[0m" in coloured
        assert "\x1b[31m^^^^^\x1b[0m" in coloured

    def test_control_characters_are_shown_not_sent(self) -> None:
        report = replace(
            with_message("\x1b]0;owned\x07", "a\x1b[2J\n.ipynb"),
            lines={(4, 3): "x\x1b[31m = scale"},
        )
        shown = text.render([report])
        assert "\x1b" not in shown
        assert "\x07" not in shown
        assert shown.startswith("a\\x1b[2J\\n.ipynb: ")

    def test_caret_after_tabs_and_wide_characters(self) -> None:
        report = replace(REPORT, lines={(4, 3): "\tx = '漢'; scale"})
        place = Place(4, 3, 11, 3, 16)
        shown = text.render([replace(report, diagnostics=(replace(HIDDEN, place=place),))])
        line, caret = shown.splitlines()[1:3]
        assert line == "        x = '漢'; scale"
        assert caret == " " * 18 + "^^^^^"

    def test_very_long_line_is_cut_around_the_place(self) -> None:
        line = "a" * 5000 + "scale" + "b" * 5000
        place = Place(4, 3, 5001, 3, 5006)
        report = FileReport("a", (), (replace(HIDDEN, place=place),), {(4, 3): line})
        shown, caret = text.render([report]).splitlines()[1:3]
        assert len(shown) <= text.MAX_WIDTH + 4
        start = caret.index("^")
        assert shown[start : start + caret.count("^")] == "scale"

    def test_finding_over_several_lines_is_marked_to_the_end_of_the_first(self) -> None:
        report = replace(REPORT, diagnostics=(replace(HIDDEN, place=Place(4, 3, 7, 5, 2)),))
        assert text.render([report]).splitlines()[2] == "          ^^^^^^^"

    @pytest.mark.parametrize("column", [14, 99])
    def test_place_behind_the_line(self, column: int) -> None:
        place = Place(4, 3, column, 3, column)
        report = replace(REPORT, diagnostics=(replace(HIDDEN, place=place),))
        assert text.render([report]).splitlines()[2] == " " * 17 + "^"


class TestJson:
    def test_fields_are_those_of_the_schema(self) -> None:
        document = json.loads(
            json_report.render([json_report.file_text(REPORT), json_report.file_text(CLEAN)])
        )
        assert document == {
            "schema": "nbcomponent.check/1",
            "files": [
                {
                    "path": "a.ipynb",
                    "components": [
                        {
                            "name": "train",
                            "cells": [4, 5],
                            "parameters": [
                                {
                                    "name": "epochs",
                                    "type": "integer",
                                    "default": 5,
                                    "min": 1,
                                    "max": 100,
                                    "choices": None,
                                    "required": False,
                                    "description": "passes",
                                    "cell": 1,
                                    "line": 2,
                                },
                                {
                                    "name": "kind",
                                    "type": "string",
                                    "default": None,
                                    "min": None,
                                    "max": None,
                                    "choices": ["cnn", "mlp"],
                                    "required": True,
                                    "description": None,
                                    "cell": 1,
                                    "line": 3,
                                },
                            ],
                            "inputs": [
                                {
                                    "name": "prepared",
                                    "type": "uri_folder",
                                    "from": "prepare.prepared",
                                    "description": None,
                                }
                            ],
                            "outputs": [
                                {"name": "model", "type": "uri_folder", "description": "weights"}
                            ],
                            "dependencies": [
                                {
                                    "name": "scale",
                                    "resolution": "hidden",
                                    "defined_in": [2],
                                    "cell": 4,
                                    "line": 3,
                                    "column": 9,
                                    "diagnostic": "NBC101",
                                }
                            ],
                        }
                    ],
                    "diagnostics": [
                        {
                            "code": "NBC101",
                            "severity": "error",
                            "message": "'scale' is set in cell 2 only",
                            "name": "scale",
                            "defined_in": [2],
                            "component": "train",
                            "cell": 4,
                            "line": 3,
                            "column": 9,
                            "end_line": 3,
                            "end_column": 14,
                            "fix": {"title": "tag cell 2 'shared'", "kind": "tag-shared"},
                        }
                    ],
                },
                {"path": "b.ipynb", "components": [], "diagnostics": []},
            ],
        }

    def test_no_fix_is_null(self) -> None:
        document = json.loads(json_report.render([json_report.file_text(UNUSABLE)]))
        assert document["files"][0]["diagnostics"][0]["fix"] is None
        assert document["files"][0]["diagnostics"][0]["cell"] is None

    def test_it_is_strict_json_whatever_the_notebook_holds(self) -> None:
        parameter = Parameter("x", "number", math.inf, min=-math.inf, choices=(math.nan, 1.0))
        interface = Interface("train", parameters=(parameter,))
        report = FileReport("\udcff.ipynb", (ComponentReport(interface, (), ()),))

        def refuse(constant: str) -> None:
            raise AssertionError(constant)

        rendered = json_report.render([json_report.file_text(report)])
        assert rendered.isascii()
        (file,) = json.loads(rendered, parse_constant=refuse)["files"]
        shown = file["components"][0]["parameters"][0]
        assert (shown["default"], shown["min"], shown["choices"]) == ("inf", "-inf", ["nan", 1.0])


class TestGithub:
    def test_finding_in_a_cell_is_placed_on_the_file(self) -> None:
        assert github.render([REPORT]) == (
            "::error title=NBC101,file=a.ipynb::cell 4, line 3:9: 'scale' is set in cell 2 only"
            "%0Anext: tag cell 2 'shared'\n"
        )

    def test_finding_in_a_file_without_cells_has_lines(self) -> None:
        warning = replace(NOTE, severity="warning", place=Place(None, 7, 2, 7, 4))
        over = replace(NOTE, place=Place(None, 7, 2, 8, 4))
        assert github.render([FileReport("p.yml", diagnostics=(warning, over))]) == (
            "::warning title=NBC252,file=p.yml,line=7,endLine=7,col=2,endColumn=4::sounds like data\n"
            "::notice title=NBC252,file=p.yml,line=7,endLine=8::sounds like data\n"
        )

    def test_special_characters_are_escaped(self) -> None:
        shown = github.render([with_message("50 %\r\n::error::x", "a,b:c%\n.ipynb")])
        assert shown == (
            "::error title=NBC101,file=a%2Cb%3Ac%25%0A.ipynb::"
            "cell 4, line 3:9: 50 %25%0D%0A::error::x\n"
        )

    def test_nothing_found_nothing_said(self) -> None:
        assert github.render([CLEAN]) == ""


def sarif_of(*reports: FileReport) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(sarif.render(reports, page, "1.2.3"))
    return document


class TestSarif:
    def test_run(self) -> None:
        document = sarif_of(REPORT)
        assert document["version"] == "2.1.0"
        (run,) = document["runs"]
        assert run["columnKind"] == "unicodeCodePoints"
        assert run["tool"]["driver"]["name"] == "nbcomponent"
        assert run["tool"]["driver"]["version"] == "1.2.3"
        assert run["invocations"] == [{"executionSuccessful": True}]

    def test_unusable_file_makes_the_invocation_unsuccessful(self) -> None:
        (run,) = sarif_of(UNUSABLE)["runs"]
        assert run["invocations"] == [{"executionSuccessful": False}]
        (location,) = run["results"][0]["locations"]
        assert location == {"physicalLocation": {"artifactLocation": {"uri": "c.ipynb"}}}

    def test_rules_have_the_explain_pages(self) -> None:
        (run,) = sarif_of(REPORT, UNUSABLE)["runs"]
        rules = run["tool"]["driver"]["rules"]
        assert [rule["id"] for rule in rules] == ["NBC101", "NBC940"]
        assert rules[0]["shortDescription"]["text"] == (
            "a name comes from a cell outside the component"
        )
        assert rules[0]["fullDescription"]["text"].startswith("In the notebook, every cell shares")
        assert "## How to fix" in rules[0]["help"]["markdown"]

    def test_result(self) -> None:
        (run,) = sarif_of(REPORT)["runs"]
        (result,) = run["results"]
        assert len(result.pop("partialFingerprints")["nbcomponent/v1"]) == 32
        assert result == {
            "ruleId": "NBC101",
            "ruleIndex": 0,
            "level": "error",
            "message": {"text": "'scale' is set in cell 2 only\nnext: tag cell 2 'shared'"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": "a.ipynb"},
                        "region": {
                            "startLine": 3,
                            "startColumn": 9,
                            "endLine": 3,
                            "endColumn": 14,
                            "snippet": {"text": "scale"},
                        },
                    },
                    "logicalLocations": [{"name": "cell 4", "kind": "object"}],
                }
            ],
            "properties": {
                "cell": 4,
                "component": "train",
                "name": "scale",
                "definedIn": [2],
                "fix": {"title": "tag cell 2 'shared'", "kind": "tag-shared"},
            },
        }

    def test_fingerprint_survives_a_move(self) -> None:
        moved = replace(HIDDEN, place=Place(9, 1, 9, 1, 14))
        later = FileReport("a.ipynb", (), (moved,), {(9, 1): SOURCE_LINE})
        prints = [
            run["results"][0]["partialFingerprints"]
            for report in (REPORT, later)
            for run in sarif_of(report)["runs"]
        ]
        assert prints[0] == prints[1]

    @pytest.mark.parametrize(
        ("path", "uri"),
        [
            ("a b/ü#1.ipynb", "a%20b/%C3%BC%231.ipynb"),
            ("/tmp/a.ipynb", "file:///tmp/a.ipynb"),
            ("../x.ipynb", "../x.ipynb"),
            ("a:b.ipynb", "a%3Ab.ipynb"),
            ("\udcff.ipynb", "%FF.ipynb"),
        ],
    )
    def test_paths_become_uris(self, path: str, uri: str) -> None:
        (run,) = sarif_of(with_message("m", path))["runs"]
        (location,) = run["results"][0]["locations"]
        assert location["physicalLocation"]["artifactLocation"]["uri"] == uri

    def test_it_keeps_the_rules_of_the_standard(self) -> None:
        many = [REPORT, CLEAN, UNUSABLE, FAILED, FileReport("n", diagnostics=(NOTE,))]
        assert_sarif(sarif_of(*many))


def assert_sarif(document: dict[str, Any]) -> None:
    """The requirements of SARIF 2.1.0 (sections 3.13 to 3.49) that our reports can break."""
    assert set(document) == {"$schema", "version", "runs"}
    for run in document["runs"]:
        assert run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
        rules = run["tool"]["driver"]["rules"]
        assert len({rule["id"] for rule in rules}) == len(rules)
        for rule in rules:
            assert set(rule) <= {"id", "shortDescription", "fullDescription", "help"}
            for text_of in ("shortDescription", "fullDescription", "help"):
                assert rule[text_of]["text"]
        for result in run["results"]:
            assert result["level"] in ("none", "note", "warning", "error")
            assert result["message"]["text"]
            assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
            assert all(isinstance(value, str) for value in result["partialFingerprints"].values())
            for location in result["locations"]:
                physical = location["physicalLocation"]
                assert set(physical) <= {"artifactLocation", "region"}
                region = physical.get("region")
                if region:
                    assert region["startLine"] >= 1
                    assert region["startColumn"] >= 1
                    assert (region["endLine"], region["endColumn"]) >= (
                        region["startLine"],
                        region["startColumn"],
                    )
