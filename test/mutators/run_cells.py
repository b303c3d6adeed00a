"""Runs cells that arrive as JSON lines {id, code, run} and answers each with what it printed, showed and left behind."""
import ast
import contextlib
import io
import json
import sys
import types
import warnings

HIDDEN = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type)


def run(code):
    names = {"__name__": "__main__"}
    out = io.StringIO()
    error = None
    shown = None
    try:
        with contextlib.redirect_stdout(out):
            tree = ast.parse(code)
            last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, "<cell>", "exec", dont_inherit=True), names)
            if last is not None:
                shown = repr(eval(compile(ast.Expression(last.value), "<cell>", "eval", dont_inherit=True), names))
    except Exception as problem:
        error = f"{type(problem).__name__}: {problem}"
    kept = {}
    for name, value in names.items():
        text = "" if name.startswith("__") or isinstance(value, HIDDEN) else repr(value)
        if text and " at 0x" not in text:
            kept[name] = text
    return {"stdout": out.getvalue(), "shown": shown, "error": error, "variables": kept}


def compiles(code):
    try:
        compile(code, "<cell>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        return {"compiles": True}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {"compiles": False}


warnings.simplefilter("ignore")
for line in sys.stdin:
    cell = json.loads(line)
    answer = run(cell["code"]) if cell["run"] else compiles(cell["code"])
    print(json.dumps({"id": cell["id"], **answer}), flush=True)
