"""Dataclasses for what is made thousands of times for a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as record
else:
    from dataclasses import dataclass

    def record(*, frozen: bool = False, **options: Any) -> Any:
        """``dataclass``, where ``frozen`` is a promise that the type checker holds everybody to.

        A class that is frozen at run time too takes four times as long to make, since each field is set by
        a call of ``object.__setattr__``. Hash and equality are those of a frozen dataclass.
        """
        return dataclass(unsafe_hash=frozen and options.get("eq", True), **options)


__all__ = ["record"]
