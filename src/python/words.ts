/** Python's reserved words. Soft keywords (`match`, `case`, `type`, `_`) are names wherever they do not start a statement, so they are not here. */
export const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from global " +
    "if import in is lambda nonlocal not or pass raise return try while with yield"
  ).split(" "),
);

/** The public names of Python's `builtins` module, with those of Python 2 that notebooks still use. */
export const BUILTINS: ReadonlySet<string> = new Set(
  (
    "abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex copyright credits " +
    "delattr dict dir display divmod enumerate eval exec exit filter float format frozenset getattr globals hasattr hash " +
    "help hex id input int isinstance issubclass iter len license list locals map max memoryview min next object oct open " +
    "ord pow print property quit range repr reversed round set setattr slice sorted staticmethod str sum super tuple type " +
    "vars zip __import__ __name__ __doc__ __file__ __build_class__ __debug__ __loader__ __package__ __spec__ Ellipsis NotImplemented " +
    "ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError " +
    "BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError " +
    "ConnectionResetError DeprecationWarning EOFError EncodingWarning EnvironmentError Exception ExceptionGroup " +
    "FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError ImportError ImportWarning " +
    "IndentationError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError " +
    "ModuleNotFoundError NameError NotADirectoryError NotImplementedError OSError OverflowError PendingDeprecationWarning " +
    "PermissionError ProcessLookupError RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning " +
    "StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError TypeError " +
    "UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning " +
    "UserWarning ValueError Warning ZeroDivisionError basestring long raw_input reduce unichr unicode xrange"
  ).split(" "),
);
