"""What all tests need of the process they run in."""

from __future__ import annotations

import signal

# What a shell starts in the background ignores Ctrl-C, and so would all that the tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
