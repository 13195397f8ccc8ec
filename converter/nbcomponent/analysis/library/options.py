"""Who sets options of the whole process, and which environment variables libraries read by themselves."""

from __future__ import annotations

import re

OPTION_SETTERS: dict[str, tuple[str, bool]] = {
    "os.umask": ("os", True),
    "sys.setswitchinterval": ("sys", False),
    "sys.set_int_max_str_digits": ("sys", True),
    "sys.settrace": ("sys", True),
    "sys.setprofile": ("sys", True),
    "threading.stack_size": ("threading", True),
    "gc.enable": ("gc", False),
    "gc.set_threshold": ("gc", False),
    "gc.freeze": ("gc", False),
    "time.tzset": ("time", True),
    "resource.setrlimit": ("resource", True),
    "seaborn.reset_orig": ("seaborn", False),
    "matplotlib.pyplot.set_cmap": ("matplotlib", False),
    "matplotlib.rcdefaults": ("matplotlib", False),
    "matplotlib.pyplot.rcdefaults": ("matplotlib", False),
    "mlflow.autolog": ("mlflow", True),
    "mlflow.sklearn.autolog": ("mlflow", True),
    "wandb.login": ("wandb", True),
    "huggingface_hub.login": ("huggingface_hub", True),
    "pandas.set_option": ("pandas", False),
    "pandas.reset_option": ("pandas", False),
    "numpy.set_printoptions": ("numpy", False),
    "numpy.seterr": ("numpy", True),
    "numpy.setbufsize": ("numpy", True),
    "matplotlib.use": ("matplotlib", False),
    "matplotlib.rc": ("matplotlib", False),
    "matplotlib.style.use": ("matplotlib", False),
    "matplotlib.pyplot.rc": ("matplotlib", False),
    "matplotlib.pyplot.style.use": ("matplotlib", False),
    "matplotlib.pyplot.ion": ("matplotlib", False),
    "matplotlib.pyplot.ioff": ("matplotlib", False),
    "matplotlib.pyplot.switch_backend": ("matplotlib", False),
    "matplotlib.rcParams.update": ("matplotlib", False),
    "matplotlib.pyplot.rcParams.update": ("matplotlib", False),
    "seaborn.set": ("seaborn", False),
    "seaborn.set_theme": ("seaborn", False),
    "seaborn.set_style": ("seaborn", False),
    "seaborn.set_context": ("seaborn", False),
    "seaborn.set_palette": ("seaborn", False),
    "torch.set_default_dtype": ("torch", True),
    "torch.set_default_device": ("torch", True),
    "torch.set_default_tensor_type": ("torch", True),
    "torch.set_printoptions": ("torch", False),
    "torch.set_num_threads": ("torch", False),
    "torch.set_grad_enabled": ("torch", True),
    "torch.autograd.set_detect_anomaly": ("torch", True),
    "torch.use_deterministic_algorithms": ("torch", True),
    "torch.set_float32_matmul_precision": ("torch", True),
    "tensorflow.keras.backend.set_floatx": ("tensorflow", True),
    "tensorflow.keras.backend.clear_session": ("tensorflow", True),
    "tensorflow.keras.mixed_precision.set_global_policy": ("tensorflow", True),
    "tensorflow.get_logger": ("tensorflow", False),
    "sklearn.set_config": ("sklearn", True),
    "jax.config.update": ("jax", True),
    "warnings.filterwarnings": ("warnings", False),
    "warnings.simplefilter": ("warnings", False),
    "logging.basicConfig": ("logging", False),
    "logging.disable": ("logging", False),
    "locale.setlocale": ("locale", True),
    "decimal.setcontext": ("decimal", True),
    "sys.setrecursionlimit": ("sys", True),
    "socket.setdefaulttimeout": ("socket", True),
    "multiprocessing.set_start_method": ("multiprocessing", True),
    "nest_asyncio.apply": ("asyncio", True),
    "asyncio.set_event_loop_policy": ("asyncio", True),
    "csv.register_dialect": ("csv", True),
    "csv.field_size_limit": ("csv", True),
    "sqlite3.register_adapter": ("sqlite3", True),
    "sqlite3.register_converter": ("sqlite3", True),
    "sympy.init_printing": ("sympy", False),
    "mlflow.set_tracking_uri": ("mlflow", True),
    "mlflow.set_experiment": ("mlflow", True),
    "plotly.io.templates.default": ("plotly", False),
    "gc.disable": ("gc", False),
    "signal.signal": ("signal", True),
    "atexit.register": ("atexit", True),
    "tqdm.tqdm.pandas": ("pandas", True),
    "faulthandler.enable": ("faulthandler", False),
}
"""Setters of a library-wide option: the library, and whether results can change (not only looks)."""

OPTION_CALL = re.compile(
    r"(set_(option|options|config|default\w*|style|theme|palette|context|tracking_uri|experiment"
    r"|printoptions|floatx|global\w*|num_threads|log_level|loglevel|verbosity\w*|start_method|backend"
    r"|state|precision|session|cmap|registry_uri|memory_growth|matplotlib_formats)"
    r"|setdefault\w+|seterr|simplefilter|filterwarnings|basicConfig|setlocale|setrecursionlimit"
    r"|register_(dialect|adapter|converter|backend|option|namespace)|enable_\w+|disable_\w+"
    r"|configure|configure_\w+|init_printing|init_notebook_mode|autolog)"
)
"""Functions of modules that by their name set something for the whole process."""

OPTION_CONTAINERS = frozenset({"config", "Config", "conf", "options", "rcParams"})
"""Parts of a dotted name below which calls set options, unless they only ask (``get``, ``list``)."""

ASKING = (
    "get",
    "list",
    "is_",
    "has_",
    "describe",
    "copy",
    "keys",
    "values",
    "items",
    "read",
    "from_",
)

OPTION_WORDS = frozenset(
    [
        "options",
        "rcParams",
        "rcParamsDefault",
        "config",
        "settings",
        "conf",
        "backends",
        "defaults",
        "default",
        "prec",
        "flags",
        "FLAGS",
        "ast_node_interactivity",
        "environ",
        "renderers",
        "templates",
        "api_key",
        "api_base",
        "api_type",
        "api_version",
        "organization",
        "log_level",
        "verbosity",
    ]
)
"""Attributes whose assignment on an imported module sets an option rather than patches code."""

OPTION_OBJECTS: dict[str, tuple[str, bool]] = {
    "decimal.getcontext": ("decimal", True),
    "logging.getLogger": ("logging", False),
    "tensorflow.get_logger": ("tensorflow", False),
    "locale.localeconv": ("locale", True),
}
"""Calls that give an object whose attributes and setters hold for the whole process."""

QUERIES: dict[str, int] = {"locale.setlocale": 1, "csv.field_size_limit": 0, "gc.set_threshold": 0}
"""Setters that only ask when they are given no more arguments than this."""

RESTORING = frozenset(
    [
        "catch_warnings",
        "option_context",
        "rc_context",
        "errstate",
        "printoptions",
        "localcontext",
        "patch",
        "no_grad",
        "enable_grad",
        "inference_mode",
        "set_grad_enabled",
        "set_detect_anomaly",
        "autocast",
        "config_context",
        "axes_style",
        "plotting_context",
        "color_palette",
        "chdir",
        "TemporaryDirectory",
    ]
)
"""Context managers that put back at their end what is set inside them."""

DISPLAY_OPTIONS = re.compile(r"(display|rcParams|style|print|plotting|interactivity|theme)")

ENVIRONMENT_PREFIXES: tuple[tuple[str, frozenset[str]], ...] = (
    ("CUDA_", frozenset({"torch", "tensorflow", "jax", "cupy", "keras"})),
    ("TF_", frozenset({"tensorflow", "keras"})),
    ("KERAS_", frozenset({"keras", "tensorflow"})),
    ("XLA_", frozenset({"jax", "tensorflow"})),
    ("JAX_", frozenset({"jax"})),
    ("TOKENIZERS_", frozenset({"transformers", "tokenizers"})),
    ("HF_", frozenset({"transformers", "datasets", "huggingface_hub", "diffusers"})),
    ("TRANSFORMERS_", frozenset({"transformers"})),
    ("PYTORCH_", frozenset({"torch"})),
    ("NCCL_", frozenset({"torch"})),
    ("OMP_", frozenset({"numpy", "torch", "sklearn", "scipy"})),
    ("MKL_", frozenset({"numpy", "torch", "sklearn", "scipy"})),
    ("OPENBLAS_", frozenset({"numpy", "scipy", "sklearn"})),
    ("WANDB_", frozenset({"wandb", "transformers"})),
    ("MLFLOW_", frozenset({"mlflow"})),
    ("AWS_", frozenset({"boto3", "s3fs"})),
    ("AZURE_", frozenset({"azure"})),
    ("OPENAI_", frozenset({"openai", "langchain"})),
    ("ANTHROPIC_", frozenset({"anthropic"})),
    ("GOOGLE_", frozenset({"google"})),
)
"""Environment variables that a library reads by itself, by prefix."""
