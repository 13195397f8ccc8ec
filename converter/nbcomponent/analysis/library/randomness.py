"""Who seeds a global random generator, and who draws from one."""

from __future__ import annotations

import re

RANDOM_SETTERS: dict[str, str] = {
    "random.seed": "random",
    "random.setstate": "random",
    "numpy.random.seed": "numpy",
    "numpy.random.set_state": "numpy",
    "torch.manual_seed": "torch",
    "torch.seed": "torch",
    "torch.random.manual_seed": "torch",
    "torch.cuda.manual_seed": "torch",
    "torch.cuda.manual_seed_all": "torch",
    "torch.set_rng_state": "torch",
    "tensorflow.random.set_seed": "tensorflow",
    "tensorflow.set_random_seed": "tensorflow",
    "tensorflow.compat.v1.set_random_seed": "tensorflow",
    "tensorflow.keras.utils.set_random_seed": "any",
    "keras.utils.set_random_seed": "any",
    "transformers.set_seed": "any",
    "transformers.enable_full_determinism": "any",
    "pytorch_lightning.seed_everything": "any",
    "lightning.seed_everything": "any",
    "lightning.pytorch.seed_everything": "any",
    "accelerate.utils.set_seed": "any",
    "fastai.torch_core.set_seed": "any",
    "mxnet.random.seed": "mxnet",
    "paddle.seed": "paddle",
    "cupy.random.seed": "cupy",
}
"""Setters of a global random state, and the library whose state it is."""

RANDOM_CALLS: dict[str, frozenset[str]] = {
    "random": frozenset(
        [
            "random",
            "uniform",
            "randint",
            "randrange",
            "choice",
            "choices",
            "sample",
            "shuffle",
            "gauss",
            "normalvariate",
            "lognormvariate",
            "expovariate",
            "vonmisesvariate",
            "gammavariate",
            "betavariate",
            "paretovariate",
            "weibullvariate",
            "triangular",
            "getrandbits",
            "randbytes",
            "binomialvariate",
        ]
    ),
    "torch": frozenset(
        [
            "rand",
            "randn",
            "randint",
            "randperm",
            "normal",
            "bernoulli",
            "multinomial",
            "poisson",
            "rand_like",
            "randn_like",
            "randint_like",
            "dropout",
        ]
    ),
}
"""Functions of a module that draw from its own global random state."""

NUMPY_RANDOM_FREE = frozenset(
    [
        "default_rng",
        "Generator",
        "RandomState",
        "BitGenerator",
        "PCG64",
        "PCG64DXSM",
        "Philox",
        "SFC64",
        "MT19937",
        "SeedSequence",
        "seed",
        "get_state",
        "set_state",
        "get_bit_generator",
        "set_bit_generator",
    ]
)
"""Names of ``numpy.random`` that draw nothing from the global state; all others do."""

TORCH_LAYERS = frozenset(
    [
        "Linear",
        "LazyLinear",
        "Bilinear",
        "Conv1d",
        "Conv2d",
        "Conv3d",
        "ConvTranspose1d",
        "ConvTranspose2d",
        "ConvTranspose3d",
        "Embedding",
        "EmbeddingBag",
        "RNN",
        "LSTM",
        "GRU",
        "RNNCell",
        "LSTMCell",
        "GRUCell",
        "Transformer",
        "TransformerEncoder",
        "TransformerDecoder",
        "TransformerEncoderLayer",
        "TransformerDecoderLayer",
        "MultiheadAttention",
    ]
)
"""Layers of ``torch.nn`` whose weights start at random."""

TORCH_RANDOM_METHODS = frozenset(
    [
        "uniform_",
        "normal_",
        "random_",
        "bernoulli_",
        "exponential_",
        "cauchy_",
        "log_normal_",
        "geometric_",
    ]
)
"""Methods of tensors that draw from torch's global state."""

SKLEARN_RANDOM = frozenset(
    [
        "train_test_split",
        "ShuffleSplit",
        "StratifiedShuffleSplit",
        "GroupShuffleSplit",
        "RepeatedKFold",
        "RepeatedStratifiedKFold",
        "RandomizedSearchCV",
        "HalvingRandomSearchCV",
        "permutation_test_score",
        "permutation_importance",
        "RandomForestClassifier",
        "RandomForestRegressor",
        "ExtraTreesClassifier",
        "ExtraTreesRegressor",
        "ExtraTreeClassifier",
        "ExtraTreeRegressor",
        "RandomTreesEmbedding",
        "GradientBoostingClassifier",
        "GradientBoostingRegressor",
        "AdaBoostClassifier",
        "AdaBoostRegressor",
        "BaggingClassifier",
        "BaggingRegressor",
        "IsolationForest",
        "DecisionTreeClassifier",
        "DecisionTreeRegressor",
        "KMeans",
        "MiniBatchKMeans",
        "BisectingKMeans",
        "SpectralClustering",
        "GaussianMixture",
        "BayesianGaussianMixture",
        "MLPClassifier",
        "MLPRegressor",
        "BernoulliRBM",
        "SGDClassifier",
        "SGDRegressor",
        "SGDOneClassSVM",
        "Perceptron",
        "PassiveAggressiveClassifier",
        "PassiveAggressiveRegressor",
        "LinearSVC",
        "LinearSVR",
        "RANSACRegressor",
        "TheilSenRegressor",
        "TruncatedSVD",
        "NMF",
        "MiniBatchNMF",
        "FastICA",
        "LatentDirichletAllocation",
        "DictionaryLearning",
        "MiniBatchDictionaryLearning",
        "SparsePCA",
        "MiniBatchSparsePCA",
        "TSNE",
        "MDS",
        "SpectralEmbedding",
        "GaussianRandomProjection",
        "SparseRandomProjection",
        "RBFSampler",
        "Nystroem",
        "SkewedChi2Sampler",
        "IterativeImputer",
        "shuffle",
        "resample",
        "mutual_info_classif",
        "mutual_info_regression",
    ]
)
"""Functions and classes of scikit-learn that draw from numpy's global state without ``random_state``."""

SKLEARN_SHUFFLED = frozenset({"KFold", "StratifiedKFold", "StratifiedGroupKFold", "learning_curve"})
"""Those that do so only with ``shuffle=True``."""

SCIPY_RANDOM = frozenset(
    [
        "rvs",
        "bootstrap",
        "permutation_test",
        "monte_carlo_test",
        "random_correlation",
        "differential_evolution",
        "dual_annealing",
        "basinhopping",
        "kmeans",
        "kmeans2",
    ]
)

NETWORKX_RANDOM = re.compile(
    r"(fast_)?(gnp|gnm|dense_gnm|binomial|erdos_renyi|barabasi_albert|watts_strogatz|newman|connected_watts"
    r"|powerlaw|random|stochastic_block|gaussian)\w*"
)
