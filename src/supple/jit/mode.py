"""Which of the two compilers of kernels is used: ``fast``, on the insides of Numba, or ``plain``, on its promises.

``fast`` needs a version of Numba that it was tested with, in which every inside is where it is expected, and a small
kernel that gives the right number.  Otherwise ``plain`` compiles, which is said once.  ``SUPPLE_JIT`` forces either.
"""

from __future__ import annotations

import inspect
import os
import sys
from functools import cache
from types import ModuleType

import numba

from supple.errors import SuppleError
from supple.jit import notices, store
from supple.jit.stamps import ring_digest

#: First and last versions of Numba whose insides `supple.jit.fast` was tested with.
TESTED = (0, 61), (0, 68)
#: Releases with which all tests passed; others between them must first pass a small test on the user's machine.
KNOWN = ("0.61.0", "0.68.1")


@cache
def compiler() -> ModuleType:
    """The module that compiles kernels."""
    wanted = os.environ.get("SUPPLE_JIT", "").strip().lower()
    if wanted not in ("", "fast", "plain"):
        raise SuppleError(f"SUPPLE_JIT is {wanted!r}, must be 'fast' or 'plain', or not be set")
    reason = "" if wanted == "plain" else _obstacle()
    if wanted == "fast" and reason:
        raise SuppleError(f"SUPPLE_JIT is 'fast', which cannot be: {reason}")
    if wanted != "plain" and not reason:
        from supple.jit import fast

        return fast
    from supple.jit import plain

    if reason:
        notices.explain_plain(reason)
    return plain


def in_use() -> tuple[str, str]:
    """Which one compiles in this process, "fast" or "plain", and why."""
    if compiler().MODE == "fast":
        return "fast", f"on the insides of Numba {numba.__version__}, which were tested"
    if os.environ.get("SUPPLE_JIT", "").strip().lower() == "plain":
        return "plain", "SUPPLE_JIT asks for it"
    return "plain", _obstacle()


def _obstacle() -> str:
    """Why ``fast`` cannot compile; empty if it can."""
    version = _version(numba.__version__)
    if not TESTED[0] <= version <= TESTED[1]:
        tested = " to ".join(".".join(map(str, bound)) for bound in TESTED)
        return f"Numba {numba.__version__} is outside of the versions {tested} that were tested"
    return _changed_insides() or _failed_test()


def _version(text: str) -> tuple[int, ...]:
    """Major and minor version."""
    try:
        return tuple(int(part) for part in text.split(".")[:2])
    except ValueError:
        return ()


#: Insides of Numba that `supple.jit.fast` replaces, with their arguments.
INSIDES = (
    ("numba.core.codegen", "JITCodeLibrary", "_optimize_final_module", ("self",)),
    ("numba.core.codegen", "JITCodeLibrary", "_finalize_final_module", ("self",)),
    ("numba.core.codegen", "JITCodeLibrary", "add_ir_module", ("self", "ir_module")),
    ("numba.core.codegen", "JITCodeLibrary", "finalize", ("self",)),
    ("numba.core.codegen", "JITCodeLibrary", "_get_module_for_linking", ("self",)),
    ("numba.core.codegen", "JITCodeLibrary", "_raise_if_finalized", ("self",)),
    ("numba.core.codegen", "JITCodeLibrary", "get_pointer_to_function", ("self", "name")),
    ("numba.core.codegen", "JITCodeLibrary", "_ensure_finalized", ("self",)),
    ("numba.core.codegen", "JITCodeLibrary", "serialize_using_object_code", ("self",)),
    ("numba.core.compiler", "CompilerBase", "compile_extra", ("self", "func")),
    ("numba.core.compiler", "Compiler", "define_pipelines", ("self",)),
    ("numba.core.compiler_machinery", "PassManager", "add_pass", ("self", "pss", "description")),
    ("numba.core.compiler", "CompileResult", "_reduce", ("self",)),
    ("numba.core.typing.context", "Context", "resolve_getattr", ("self", "typ", "attr")),
    ("numba.core.cpu", "CPUContext", "mangler", ("self", "name", "types", "abi_tags", "uid")),
    ("numba.core.cpu", "CPUContext", "get_executable", ("self", "library", "fndesc", "env")),
    ("numba.core.lowering", "Environment", "from_fndesc", ("fndesc",)),
    ("numba.core.cpu", "CPUContext", "cast", ("self", "builder", "val", "fromty", "toty")),
    ("numba.core.cpu", "CPUContext", "load_additional_registries", ("self",)),
    ("numba.core.cpu", "CPUContext", "install_registry", ("self", "registry")),
    ("numba.core.cpu", "CPUContext", "get_function", ("self", "fn", "sig", "_firstcall")),
    ("numba.core.cpu", "CPUContext", "get_getattr", ("self", "typ", "attr")),
    ("numba.core.cpu", "CPUContext", "pair_first", ("self", "builder", "val", "ty")),
    ("numba.core.cpu", "CPUContext", "pair_second", ("self", "builder", "val", "ty")),
    ("numba.core.postproc", "PostProcessor", "run", ("self", "emit_dels", "extend_lifetimes")),
    ("numba.core.interpreter", "Interpreter", "post_process", ("self", "peepholes", "func_ir")),
    ("numba.core", "base", "_has_loc", ("fn",)),
    ("numba.core.registry", "CPUDispatcher", "get_call_template", ("self", "args", "kws")),
    ("numba.core.types.functions", "BaseFunction", "get_call_type", ("self", "context", "args", "kws")),
    ("numba.core.ccallback", "CFunc", "compile", ("self",)),
)


def _changed_insides() -> str:
    """The first inside of Numba that is missing or takes other arguments; empty if all are as expected."""
    for module, owner, name, arguments in INSIDES:
        try:
            found = getattr(getattr(__import__(module, fromlist=[owner]), owner), name)
            taken = tuple(inspect.signature(found).parameters)
        except (ImportError, AttributeError, TypeError, ValueError) as error:
            return f"Numba {numba.__version__} lacks {owner}.{name} ({error})"
        if taken != arguments:
            return f"{owner}.{name} of Numba {numba.__version__} takes {', '.join(taken)}"
    return ""


def _failed_test() -> str:
    """What came of the small kernel instead of its number; empty if all is well, which is remembered."""
    if numba.__version__ in KNOWN:
        return ""
    entry = f"self-test-{sys.implementation.cache_tag}-numba{numba.__version__}"
    stamp = ring_digest(())
    if store.read(entry, stamp) is not None:
        return ""
    try:
        from supple.jit.self_test import EXPECTED, result

        given = result()
    except Exception as error:
        return f"a test of it raised {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    if given != EXPECTED:
        return f"a test of it gave {given:g} instead of {EXPECTED:g}"
    store.write(entry, stamp, b"passed")
    return ""
