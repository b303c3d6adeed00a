import { describe, expect, it } from "vitest";
import insertComments from "../../mutators/insert-comments.js";
import renameVariables from "../../mutators/rename-variables.js";
import reverseLines from "../../mutators/reverse-lines.js";

describe("the paper's operators", () => {
  it.each([
    [
      "lr = LogisticRegression()\nlr.fit(X_train,y_train)",
      "new_lr = new_LogisticRegression()\nnew_lr.fit(new_X_train,new_y_train)",
    ],
    ["import numpy as np", "import numpy as new_np"],
    ["import numpy", "import numpy"],
    ["from a.b import C as D", "from a.b import new_C as new_D"],
    ["numpy.sum(x, axis=0)", "new_numpy.sum(new_x, axis=0)"],
    ["def f(self, a=1): return print(a)", "def new_f(new_self, new_a=1): return print(new_a)"],
    ['df[f"{c}_x"] = [i for i in range(n)]', 'new_df[f"{c}_x"] = [new_i for new_i in range(new_n)]'],
    ["%matplotlib inline", "%matplotlib inline"],
    ["!pip install x", "!pip install x"],
    ["for i in ran", "for new_i in new_ran"],
  ])("rename-variables: %j becomes %j", (code, expected) => {
    expect(renameVariables.apply(code)).toBe(expected);
  });

  it.each([
    ["a\nb", "a\n# Additional comment line\nb"],
    ["a", "a\n# Additional comment line"],
  ])("insert-comments: %j becomes %j", (code, expected) => {
    expect(insertComments.apply(code)).toBe(expected);
  });

  it("reverse-lines puts each line of code again, reversed", () => {
    const code = "a = 1\n# Additional comment line\n  b(c)";
    expect(reverseLines.apply(code)).toBe("a = 1\n1 = a\n# Additional comment line\n  b(c)\n  )c(b");
  });
});

describe("rename-variables", () => {
  it.each([
    [
      "a keyword of a class",
      "class A(B, metaclass=M):\n    x: Foo = 1",
      "class new_A(new_B, metaclass=new_M):\n    new_x: new_Foo = 1",
    ],
    [
      "decorators",
      "@app.get(path=p)\n@cache\ndef f(): pass",
      "@new_app.get(path=new_p)\n@new_cache\ndef new_f(): pass",
    ],
    [
      "star arguments",
      "def f(*args, k=1, **kw): g(*args, k=k, **kw)",
      "def new_f(*new_args, new_k=1, **new_kw): new_g(*new_args, k=new_k, **new_kw)",
    ],
    ["a lambda with defaults", "lambda x=1: x", "lambda new_x=1: new_x"],
    ["a lambda in a call", "f(lambda x, y=1: x, key=z)", "new_f(lambda new_x, new_y=1: new_x, key=new_z)"],
    ["a call in a default", "def f(a=g(b=c), d=2): pass", "def new_f(new_a=new_g(b=new_c), new_d=2): pass"],
    [
      "annotations",
      "def f(a: int, b: Foo = 1) -> Bar: x: List[int] = a",
      "def new_f(new_a: int, new_b: new_Foo = 1) -> new_Bar: new_x: new_List[int] = new_a",
    ],
    ["type parameters", "def f[T](a: T = 1): pass", "def new_f[new_T](new_a: new_T = 1): pass"],
    ["a walrus", "if (n := f(a)) > 1: g(m := n)", "if (new_n := new_f(new_a)) > 1: new_g(new_m := new_n)"],
    [
      "global and nonlocal",
      "def f():\n    global a, b\n    nonlocal c",
      "def new_f():\n    global new_a, new_b\n    nonlocal new_c",
    ],
    [
      "match",
      "match command.split():\n    case [x, *rest]: go(x)\n    case Point(x=0, y=yy) if yy: pass\n    case _:\n        match = case = 1",
      "match new_command.split():\n    case [new_x, *new_rest]: new_go(new_x)\n    case new_Point(x=0, y=new_yy) if new_yy: pass\n    case _:\n        new_match = new_case = 1",
    ],
    [
      "match as a name",
      "match = re.match(p, s)\nmatch.group(1)\nmatch(x)\ncase[0]: int = 1",
      "new_match = new_re.match(new_p, new_s)\nnew_match.group(1)\nnew_match(new_x)\nnew_case[0]: int = 1",
    ],
    ["an underscore", "for _ in range(3): pass", "for new__ in range(3): pass"],
    [
      "an import list in brackets",
      "from a.b import (\n    C,  # one\n    D as E,\n)\nx",
      "from a.b import (\n    new_C,  # one\n    new_D as new_E,\n)\nnew_x",
    ],
    [
      "relative imports",
      "from . import x\nfrom .a import b\nfrom ...c.d import *",
      "from . import new_x\nfrom .a import new_b\nfrom ...c.d import *",
    ],
    [
      "several imports",
      "import a.b as c, d\nimport e, f as g; h",
      "import a.b as new_c, d\nimport e, f as new_g; new_h",
    ],
    [
      "imports in a line",
      "try: import a\nexcept ImportError: from b import c",
      "try: import a\nexcept ImportError: from b import new_c",
    ],
    ["from that is no import", "raise E from err\nyield from gen()", "raise new_E from new_err\nyield from new_gen()"],
    [
      "keyword arguments over lines",
      "f(\n    a=1,\n    # why\n    b=[\n        c,\n    ],\n    d\n    =e,\n)",
      "new_f(\n    a=1,\n    # why\n    b=[\n        new_c,\n    ],\n    d\n    =new_e,\n)",
    ],
    ["dict and nested calls", "dict(a=1, b=dict(c=d))", "dict(a=1, b=dict(c=new_d))"],
    ["comparisons in calls", "f(a==b, c=d==e)", "new_f(new_a==new_b, c=new_d==new_e)"],
    ["a chain over lines", "(df\n .head()\n .x)", "(new_df\n .head()\n .x)"],
    ["a backslash", "df.\\\n  head(a)\nx = a + \\\n  b", "new_df.\\\n  head(new_a)\nnew_x = new_a + \\\n  new_b"],
    ["a line that ends in a dot", "df.\nfoo = 1", "new_df.\nnew_foo = 1"],
    [
      "a bracket left open",
      "f(a\nx, y = 1, 2\nimport numpy as np",
      "new_f(new_a\nnew_x, new_y = 1, 2\nimport numpy as new_np",
    ],
    [
      "a bracket left open before an import",
      "plt.plot(x, \nfrom a import b\nc, d = 1, 2",
      "new_plt.plot(new_x, \nfrom a import new_b\nnew_c, new_d = 1, 2",
    ],
    ["a bracket too many", "a)) = b\nf(c=1)", "new_a)) = new_b\nnew_f(c=1)"],
    ["Python 2", 'print "x", y\nexec code\nur"text" + `z`', 'print "x", new_y\nexec new_code\nur"text" + `new_z`'],
    ["strings and comments", "s = '''a\nb''' + r\"c\" + b'd'  # e", "new_s = '''a\nb''' + r\"c\" + b'd'  # e"],
    [
      "magics among code",
      "%time x = f(y)\nfiles = !ls {path}\nx.head?",
      "%time x = f(y)\nnew_files = !ls {path}\nnew_x.head?",
    ],
    ["the body of a cell magic", "%%time\nx = 1", "%%time\nnew_x = 1"],
    ["a cell of another language", "%%bash\necho $x", "%%bash\necho $x"],
    ["other scripts", "größe = 数 + 1", "new_größe = new_数 + 1"],
    ["numbers half typed", "x = 1e", "new_x = 1e"],
    ["slices and dictionaries", "a[b:c] = {d: e, **f}", "new_a[new_b:new_c] = {new_d: new_e, **new_f}"],
    ["comprehensions in calls", "sum(x for x in y if x)", "sum(new_x for new_x in new_y if new_x)"],
    [
      "with",
      "with open(p) as f, g(h=1) as (i, j): pass",
      "with open(new_p) as new_f, new_g(h=1) as (new_i, new_j): pass",
    ],
    ["async", "async def f(a=1):\n    await g(a=a)", "async def new_f(new_a=1):\n    await new_g(a=new_a)"],
  ])("handles %s", (_, code, expected) => {
    expect(renameVariables.apply(code)).toBe(expected);
  });
});

describe("insert-comments", () => {
  const comment = "# Additional comment line";
  it.each([
    ["inside a string", 'x = """a\nb"""\ny', `x = """a\nb"""\n${comment}\ny`],
    ["after a backslash", "x = 1 + \\\n  2\ny", `x = 1 + \\\n  2\n${comment}\ny`],
    ["after a backslash of a comment, where there is a gap", "x # \\\ny", `x # \\\n${comment}\ny`],
    ["in brackets", "f(a,\n  b)", `f(a,\n${comment}\n  b)`],
    ["before the last line break", "a\nb\n", `a\n${comment}\nb\n`],
    ["around blank lines", "a\n\nb", `a\n${comment}\n\n${comment}\nb`],
    ["in a cell of another language", "%%bash\nls\npwd", "%%bash\nls\npwd"],
    ["after a cell magic", "%%time\nx", `%%time\n${comment}\nx`],
    ["inside a string never closed", 'x = """a', 'x = """a'],
    ["in an empty cell", "", ""],
  ])("adds comment lines only where Python reads them as comments: %s", (_, code, expected) => {
    expect(insertComments.apply(code)).toBe(expected);
  });
});

describe("reverse-lines", () => {
  it.each([
    ["a = 1  # one", "a = 1  # one\neno #  1 = a"],
    ["\tx\n\n# c\n", "\tx\n\tx\n\n# c\n"],
    ["s = '''a\n# b'''", "s = '''a\na''' = s\n# b'''\n'''b #"],
    ["%matplotlib inline", "%matplotlib inline\nenilni biltolptam%"],
    ['x = "😀é"', 'x = "😀é"\n"é😀" = x'],
    ["# only", "# only"],
  ])("%j becomes %j", (code, expected) => {
    expect(reverseLines.apply(code)).toBe(expected);
  });
});
