"""The helper functions that exported scripts contain, each only where something needs it.

Plain Python, so that a script stays readable and depends on nothing of ours. Doubled braces are
``str.format``'s; names in single braces are filled in so that they clash with no name of the cells.
"""

from __future__ import annotations

BOOLEAN = '''\
def {boolean}(text: str) -> bool:
    """An argument that is true or false, in the spellings people use."""
    word = text.strip().lower()
    if word not in ("true", "1", "yes", "false", "0", "no"):
        raise {argparse}.ArgumentTypeError(f"expected true or false, found {{text!r}}")
    return word in ("true", "1", "yes")
'''

NON_EMPTY = '''\
def {non_empty}(text: str) -> str:
    """An argument that must be given: a pipeline leaves it empty until someone sets it."""
    if not text:
        raise {argparse}.ArgumentTypeError("expected a text, found an empty one")
    return text
'''

WITHIN = '''\
def {within}(
    convert: type[float] | type[int],
    minimum: float | None = None,
    maximum: float | None = None,
) -> {Callable}[[str], float]:
    """An argument type: a number in a range (both ends belong to it, nan never does)."""
    kind = "an integer" if convert is int else "a number"
    limits = "" if minimum is None else f" of at least {{minimum}}"
    if maximum is not None:
        limits += f"{{' and' if limits else ' of'}} at most {{maximum}}"

    def parse(text: str) -> float:
        try:
            value = convert(text)
        except ValueError:
            value = float("nan")
        if (
            value != value
            or (minimum is not None and value < minimum)
            or (maximum is not None and value > maximum)
        ):
            message = f"expected {{kind}}{{limits}}, found {{text!r}}"
            raise {argparse}.ArgumentTypeError(message)
        return value

    return parse
'''

DATA_PATH = '''\
def {data_path}(text: str) -> {path}:
    """An argument that is a path; an empty one would mean the working directory."""
    if not text.strip():
        raise {argparse}.ArgumentTypeError("expected a path, found an empty text")
    return {path}(text){absolute}
'''

FAIL = '''\
def {fail}(argument: str, expected: str, found: str) -> {NoReturn}:
    """End with exit code 1 and say what is wrong with the data of an argument."""
    {sys}.exit(f"error: {{argument}}: expected {{expected}}, found {{found}}")
'''

CHECK_FILE = '''\
def {check_file}(argument: str, file: {path}{option}) -> None:
    """Fail unless there is a file, with something in it."""
    if not file.is_file():
        found = "a folder" if file.is_dir() else "nothing"
        {fail}(argument, "a file", f"{{found}} at {{file}}")
    if {unless}file.stat().st_size == 0:
        {fail}(argument, "a file with content", f"an empty one at {{file}}")
'''

CHECK_FOLDER = '''\
def {check_folder}(argument: str, folder: {path}, *parts: str) -> None:
    """Fail unless there is a folder with these files, none of them empty."""
    if not folder.is_dir():
        found = "a file" if folder.exists() else "nothing"
        {fail}(argument, "a folder", f"{{found}} at {{folder}}")
    for part in parts or ("*",):
        matches = sorted(folder.glob(part.rstrip("/")))
        if not matches:
            {fail}(argument, f"{{part}} in {{folder}}" if parts else "files", "none")
        for match in matches if parts else ():
            if match.is_dir() and not any(match.iterdir()):
                {fail}(argument, f"files in {{match}}", "an empty folder")
            if match.is_file() and match.stat().st_size == 0:
                {fail}(argument, f"content in {{match}}", "an empty file")
'''

CHECK_WHOLE = '''\
def {check_whole}(argument: str, file: {path}) -> None:
    """Fail where a file is cut short or is not of the kind that its name says."""
{branches}
'''

BRANCHES = {
    ".json": """\
    if file.suffix == ".json":
        try:
            {json}.loads(file.read_text(encoding="utf-8"))
        except ValueError as error:
            {fail}(argument, f"JSON in {{file}}", str(error))""",
    ".npz": """\
    if file.suffix in (".npz", ".zip") and not {zipfile}.is_zipfile(file):
        {fail}(argument, f"a whole {{file.suffix}} file", f"a damaged one at {{file}}")""",
    ".npy": """\
    if file.suffix == ".npy" and file.read_bytes()[:6] != b"\\x93NUMPY":
        {fail}(argument, "a whole .npy file", f"a damaged one at {{file}}")""",
    ".parquet": """\
    if file.suffix == ".parquet" and file.read_bytes()[-4:] != b"PAR1":
        {fail}(argument, "a whole .parquet file", f"a damaged one at {{file}}")""",
}

FAIL_FIRST = '''\
def {fail_first}(argument: str, findings: list[tuple[str, str]]) -> {NoReturn}:
    """Fail with the first five findings: what was expected, what was found."""
    (expected, found), *others = findings
    if others:
        found += f" (1 of {{len(findings)}} findings)"
    lines = [f"  expected {{expected}}, found {{found}}" for expected, found in others[:4]]
    lines += [f"  and {{len(others) - 4}} more"] if len(others) > 4 else []
    {fail}(argument, expected, "\\n".join([found, *lines]))
'''

CHECK_TABLE = '''\
def {check_table}(argument: str, table: {pd}.DataFrame, schema: {pa}.DataFrameSchema) -> None:
    """Fail unless the columns are as the schema says. Rows are counted from 1."""
    try:
        schema.validate(table, lazy=True)
        return
    except {pa}.errors.SchemaErrors as error:
        cases = error.failure_cases
    words = {{
        "dtype": "type",
        "isin": "one of",
        "greater_than_or_equal_to": "at least",
        "less_than_or_equal_to": "at most",
        "not_nullable": "a value",
        "field_uniqueness": "no value twice",
    }}
    # A value of another type fails to be converted too, and to be compared.
    repeated = cases["check"].str.startswith("coerce_dtype(")
    repeated |= cases["failure_case"].astype(str).str.startswith("TypeError(")
    findings = []
    for case in cases[~repeated if not repeated.all() else repeated].to_dict("records"):
        found, index = repr(case["failure_case"]), case["index"]
        if case["check"] == "column_in_dataframe":
            findings.append((f"a column {{found}}", f"the columns {{list(table)}}"))
            continue
        name, _, detail = case["check"].removesuffix(")").partition("(")
        detail = "'str'" if detail.startswith("'str") else detail
        expected = f"{{words.get(name, name)}} {{detail}}".strip()
        if index is not None and isinstance(table.index, {pd}.RangeIndex):
            found += f" in row {{table.index.get_loc(index) + 1}}"
        elif index is not None:
            found += f" at index {{index}}"
        findings.append((f"{{expected}} in column {{case['column']!r}}", found))
    {fail_first}(argument, findings)
'''

CHECK_JSON = '''\
def {check_json}(argument: str, value: object, schema: dict[str, object]) -> None:
    """Fail unless the JSON value is as its schema says."""
    validator = {jsonschema}.validators.validator_for(schema)(schema)
    found = [(error.json_path, error.message) for error in validator.iter_errors(value)]
    if found:
        findings = [(f"JSON that fits its schema at {{path}}", text) for path, text in found]
        {fail_first}(argument, findings)
'''

READ = '''\
def {read}(argument: str, file: {path}, load: {Callable}[[{path}], {Any}]) -> {Any}:
    """Load a stored value; a file that cannot be read is named."""
    try:
        return load(file)
    except Exception as error:
        {fail}(argument, f"a readable file at {{file}}", f"{{type(error).__name__}}: {{error}}")
'''

UNPICKLE = '''\
def {unpickle}(file: {path}) -> {Any}:
    """The value in a pickle file, which a component of this pipeline has written."""
    return {pickle}.loads(file.read_bytes())
'''

PARTIAL = '''\
def {partial}(file: {path}{option}) -> {path}:
    """Where an output is written: it gets its own name only when it is complete."""
    return file.with_name(f".partial-{{file.{written}}}")
'''

EXACT = '''\
def {exact}(argument: str, stored: {Any}, value: {Any}) -> None:
    """Fail where a value would not be read back as it is now."""
    same = type(stored) is type(value)
    if same and hasattr(value, "equals"):
        same = value.equals(stored) and value.index.equals(stored.index)
        same = same and value.columns.equals(stored.columns)
        same = same and value.index.names == stored.index.names
    elif same:
        same = repr(stored) == repr(value)
    if not same:
        {fail}(argument, "a value that can be stored exactly", f"a {{type(value).__name__}}")
'''

PICKLER = '''\
class {Pickler}({pickle}.Pickler):
    """Leaves a global random generator global: what holds it (a scipy distribution) gets no copy."""

    def reducer_override(self, value: {Any}) -> {Any}:
        """Name the generators of random and numpy.random; everything else as ever."""
        for module, name in (("random", "_inst"), ("numpy.random.mtrand", "_rand")):
            if value is getattr({sys}.modules.get(module), name, self):
                return name
        return NotImplemented
'''

READ_PARQUET = '''\
def {read_parquet}(file: {path}) -> {pd}.DataFrame:
    """A table as it was: a missing text was nan, and parquet gives it back as None."""
    table = {pd}.read_parquet(file)
    for name in table.columns[table.dtypes == object]:
        table.loc[table[name].isna(), name] = float("nan")
    return table
'''

CHECK_INDEX = '''\
def {check_index}(argument: str, table: {Any}) -> None:
    """Fail where a table has an index that a csv file would lose (row numbers aside)."""
    if table.index.dtype.kind not in "iu" or table.index.names != [None]:
        found = f"{{list(table.index.names)}}; call reset_index() first"
        {fail}(argument, "a table without an index, which csv cannot hold", found)
'''
