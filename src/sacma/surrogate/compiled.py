"""Compilation to machine code, and LAPACK from within it.

Numba keeps compiled code on disk, beside its module or in the user's cache folder. The cache of a function notices
changes of its own file, but not of other files that it calls into, so functions that call each other are in one file.
After a change of this file, delete the caches (``make clean``).
"""

from collections.abc import Callable
from typing import Any, TypeVar

from llvmlite import ir
from numba import njit, types
from numba.extending import get_cython_function_address, intrinsic

Function = TypeVar("Function", bound=Callable[..., Any])

# Address of SciPy's Cholesky factorisation in this process: an argument, not a constant, of cached code.
DPOTRF: int = get_cython_function_address("scipy.linalg.cython_lapack", "dpotrf")


def compiled(function: Function) -> Function:
    """Compile ``function`` at its first call. Its arithmetic is IEEE's, but may fuse a·b + c."""
    return _njit(function, {"contract"}, inline=False)


def inlined(function: Function) -> Function:
    """Compile a function that compiled functions call into each of its callers.

    As a function of its own it would be compiled more than once, fused and vectorised in different ways, and the
    version that a process calls would depend on the cache: results would differ in their last bits.
    """
    return _njit(function, {"contract"}, inline=True)


def inlined_sums(function: Function) -> Function:
    """Compile a loop over a sum like ``inlined``; terms may be added in any order, several at a time."""
    return _njit(function, {"contract", "reassoc", "nsz"}, inline=True)


def _njit(function: Function, fastmath: set[str], *, inline: bool) -> Function:
    options: dict[str, Any] = {"error_model": "numpy", "fastmath": fastmath, "forceinline": inline}
    try:
        return njit(cache=not inline, **options)(function)  # type: ignore[no-any-return]
    except RuntimeError:  # no folder that can be written to: each process compiles
        return njit(**options)(function)  # type: ignore[no-any-return]


@intrinsic  # type: ignore[untyped-decorator]
def call_dpotrf(_typing: Any, address: Any, uplo: Any, n: Any, a: Any, lda: Any, info: Any) -> Any:  # noqa: ARG001, PLR0917 numba's protocol
    """``dpotrf(uplo, n, a, lda, info)`` at ``address``; all arguments are addresses."""
    word = types.intp

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        llvm_word = context.get_value_type(word)
        kind = ir.FunctionType(ir.VoidType(), [llvm_word] * 5)
        builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), arguments[1:])
        return context.get_dummy_value()

    return types.void(*(word,) * 6), generate
