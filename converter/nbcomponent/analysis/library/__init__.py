"""What the analysis knows of Python's and of well-known packages' functions, as plain tables by subject.

Sources: the documentation of each package. A name that is missing here is not guessed at: unknown calls
neither change their arguments nor set process state, unless their name says so (see the patterns).
"""
