const raw = String.raw;

/** Cells that run with the standard library alone. Each covers a way in which rewriting code can go wrong. */
export const executableCells: Readonly<Record<string, string>> = {
  "sums in a loop": "total = 0\nfor i in range(5):\n    total += i * 2\nprint(total, i)",
  "a loop over pairs": "pairs = {'a': 1, 'b': 2}\nfor key, value in pairs.items():\n    print(key, value + 1)",
  "a loop over a bare tuple": "for x in 1, 2, 3:\n    print(x)\nprint(x)",
  "a loop over one element": "for x in 7,:\n    print(x)",
  "starred target": "for first, *rest in [(1, 2, 3), (4, 5, 6)]:\n    print(first, rest)",
  "target in a dictionary": "d = {}\nfor d['k'] in range(3):\n    pass\nprint(d)",
  "continue and break":
    "for n in range(10):\n    if n % 2 == 0:\n        continue\n    if n > 6:\n        break\n    print(n)\nprint('end', n)",
  "an empty loop": "items = []\nfor item in items:\n    print(item)\nprint('none')",
  "for with else": "for n in [1, 2]:\n    if n == 3:\n        break\nelse:\n    print('no break')",
  "nested loops":
    "out = []\nfor a in range(3):\n    for b in range(a):\n        for c in 'xy':\n            out.append((a, b, c))\nprint(out)",
  "a StopIteration in the body":
    "def f():\n    raise StopIteration('mine')\ntry:\n    for x in [1, 2]:\n        f()\nexcept StopIteration as e:\n    print('caught', e)",
  "a loop with a comment first": "for x in [1, 2]:  # head\n    # why\n    y = x + 1\n    print(y)",
  "a loop in a function":
    "def collect(values):\n    seen = []\n    for v in values:\n        if v in seen:\n            continue\n        seen.append(v)\n    return seen\nprint(collect([1, 1, 2]))",
  "a loop in a generator": "def gen(n):\n    for i in range(n):\n        yield i * 2\nprint(list(gen(4)), sum(gen(3)))",
  "a loop over an iterator used inside": "it = iter(range(6))\nfor x in it:\n    print(x, next(it))",
  "a loop with tabs": "for x in [1, 2]:\n\tif x == 1:\n\t\tprint('one')\n\tprint(x)",
  "a loop with its body on the line": "for x in [1, 2]: print(x)\nprint('done')",
  "a loop in a class body":
    "class A:\n    names = []\n    for x in 'ab':\n        names.append(x)\nprint(A.names, sorted(n for n in vars(A) if not n.startswith('_')))",
  "a loop in a try":
    "try:\n    for x in [2, 1, 0]:\n        print(4 / x)\nexcept ZeroDivisionError:\n    print('zero', x)",
  "a list that grows": "queue = [3]\nfor n in queue:\n    if n > 0:\n        queue.append(n - 1)\nprint(queue)",
  "a while and a for": "n = 3\nwhile n > 0:\n    for k in range(n):\n        print(n, k)\n    n -= 1",
  "a method chain": "text = '  Hello World '\nresult = text.strip().lower().replace('o', '0').split()\nprint(result)",
  "a chain in brackets": "words = (\n    'b,a,c'\n    .upper()\n    .split(',')\n)\nprint(sorted(words))",
  "a chain with comments": "s = (\n    'abc'\n    .upper()  # loud\n    .lower()\n)\nprint(s)",
  "a chain that is shown": "'a-b'.replace('-', '+').upper()",
  "a chain with subscripts": "rows = [' x=1 ', ' y=2 ']\nvalue = rows[0].strip().split('=')[1].zfill(3)\nprint(value)",
  "a chain over the same name": "x = 'abc'\nx = x.upper().replace(x.upper()[0], x).strip()\nprint(x)",
  "a chain in a return": "def clean(s):\n    return s.strip().lower().title()\nprint(clean('  aB '))",
  "a chain into a subscript": "d = {}\nd['k'.upper().lower()] = 'v'.upper().center(5).strip()\nprint(d)",
  "a chain into an attribute":
    "class Box: pass\nbox = Box()\nbox.value = 'a b'.split().pop().upper()\nprint(box.value)",
  "a chain that prints":
    "class Log:\n    def a(self):\n        print('a')\n        return self\n    def b(self, x):\n        print('b', x)\n        return self\nLog().a().b(1).a().b(2)\nprint('end')",
  "a chain assigned twice": "a = b = 'x y'.upper().split()\nprint(a is b)",
  "a chain on one line with others": "s = 'q'.upper().lower(); print(s)",
  "a chain with many arguments": raw`line = "name={};age={}".format("Ann", 30).replace(";", "\n").strip().splitlines()
print(line)`,
  "quotes in quotes": raw`a = 'it\'s'
b = "say \"hi\""
c = 'say "hi"'
d = "it's"
e = 'plain'
print(a, b, c, d, e)`,
  "empty and joined strings": "a = '' 'x' \"\" \"y\" ''\nb = ''\"it's\"\nprint(repr(a), repr(b), '' + \"\")",
  "triple quotes": 'doc = """first\nsecond\n"""\nother = \'\'\'a "b" c\'\'\'\nprint(doc, other)',
  "raw and bytes": raw`import re
print(re.findall(r'\d+', 'a1b22'), b'by\x00te', rb'\n', R'\t')`,
  "f-strings":
    "name, width = 'Ann', 8\nprint(f'{name!r:>{width}}|{len(name):03d}|{{}}')\nprint(f\"{name.upper()} {'q'} {1 + 1}\")",
  "an f-string that shows the name": "value = 3\nother = 4\nprint(f'{value=} {other + 1}')",
  "an f-string over lines": "x = 2\nprint(f'''{x}\n{x * 2} {'a' 'b'}\n''')",
  "old formatting": "x = 'a'\nprint('%s-%s' % (x, 'b'), '%(k)s' % {'k': 1})\nprint('long %s'\n      % x)",
  "a backslash": "total = 1 + \\\n    2 + \\\n    3\nprint(total)",
  escapes: raw`print('tab\tnew\\line', "\u00e9\x41", 'a\
b')`,
  comparisons: "x = 5\nprint(x > 3, 3 < x, x == 5, x != 4, 1 < x < 9, x >= 5, 'a' < 'b', x == 'a')",
  "arithmetic with literals":
    "x = 7\ny = 0.1\nprint(x * 2 + 1, x - 1 + 2, (x - y) * 3, x + y + 1, 2 * x * y, -1 * x, x * -1, x ** 2 * 3, -x * 2, 10 - x * 2)",
  "float order": "a, b = 0.1, 0.2\nprint(a + b + 0.3, 0.3 + a + b, a * b * 3, a + (b + 1), 1 + a - b, a / 3 * 2)",
  "repeated sequences": "print('-' * 10, [0] * 3, 3 * 'ab', (1,) * 2, '%d' % 3 * 2)",
  "evaluation order":
    "def say(x):\n    print('say', x)\n    return x\nprint(say(1) + 2 * say(3), say(4) == say(5), say(6) > 1)",
  "sets and masks":
    "a, b = {1, 2, 3}, {2, 3, 4}\nx, y = 3, 5\nprint(a & b, a | b, (x > 1) & (y < 9), (x > 4) | (y > 4))",
  "own operators":
    "class V:\n    def __init__(self, n): self.n = n\n    def __add__(self, o): return V(self.n + o)\n    def __gt__(self, o): return ('gt', o)\nv = V(1)\nprint((v + 1).n, v > 3)",
  "fractions and decimals":
    "from fractions import Fraction\nfrom decimal import Decimal\nprint(Fraction(1, 3) * 2 + 1, Decimal('1.10') * 3, Decimal('1') + 2 > 2)",
  dates:
    "from datetime import date, timedelta\nspan = timedelta(days=1) * 3\nprint(date(2020, 1, 1) + span, span * 2 == timedelta(days=6))",
  "operands over lines": "x = 3\nok = (x *\n      2\n      == 6)\nprint(ok)",
  "keyword calls":
    "def area(width, height=2, *, scale=1):\n    return width * height * scale\nprint(area(3), area(3, 4), area(3, 4, scale=2), area(height=1, width=2))",
  "keyword calls of a class":
    "class Point:\n    def __init__(self, x, y=0):\n        self.x, self.y = x, y\np = Point(1, 2)\nq = Point(3)\nprint(p.x, p.y, q.x, q.y)",
  "star parameters":
    "def f(a, *rest, **named):\n    return a, rest, named\nprint(f(1), f(1, 2), f(1, b=2), f(*[1, 2]), f(**{'a': 3}))",
  "positional only": "def f(a, /, b):\n    return a - b\nprint(f(3, 1), f(3, b=2))",
  "a decorated function":
    "def twice(f):\n    return lambda x: f(x) * 2\n@twice\ndef g(value):\n    return value + 1\nprint(g(2))",
  "a function defined twice": "def f(a):\n    return a\ndef f(b):\n    return b * 2\nprint(f(2))",
  "a shadowed function": "def f(a):\n    return a + 1\ndef g(f):\n    return f(10)\nprint(g(lambda z: z), f(1))",
  recursion: "def fact(n):\n    return 1 if n <= 1 else n * fact(n - 1)\nprint(fact(5), [fact(k) for k in range(4)])",
  "a generator argument":
    "def f(values, start=0):\n    return sum(values, start)\nprint(f(x for x in range(4)), f([1], 2), f((y := [3])))",
  "annotated parameters": "def f(a: int, b: str = 'x') -> str:\n    return b * a\nprint(f(2), f(3, 'y'))",
  "mangled parameters": "class A:\n    def __init__(self, __x):\n        self.x = __x\nprint(A(3).x)",
  imports:
    "import math as m, json\nimport os.path\nfrom collections import Counter, OrderedDict as OD\nprint(m.sqrt(16), json.dumps({'a': 1}), os.path.join('a', 'b'), Counter('aab')['a'], list(OD(a=1)))",
  "imports in brackets":
    "from itertools import (\n    chain,\n    islice as cut,\n)\nprint(list(cut(chain('ab', 'cd'), 3)))",
  "an import in a try":
    "try:\n    import missing_module as thing\nexcept ImportError:\n    import json as thing\nprint(thing.dumps([1]))",
  "an import in a function":
    "import math\ndef f():\n    import cmath as math\n    return math.sqrt(-1)\nprint(f(), math.pi > 3)",
  "an import named like a keyword argument": "import string as sep\nprint('a', 'b', sep='-')\nprint(sep.digits)",
  "an import used in a string": "import math\nprint(eval('math.floor(2.5)'))",
  "an import used before": "def late():\n    return json.dumps(1)\nimport json\nprint(late())",
  "a future import": "from __future__ import annotations\nimport math\nx: int = 3\nprint(math.floor(2.5), x)",
  "an import and its submodule":
    "import os\nimport os.path as path\nimport xml.dom\nprint(path.basename('a/b'), os.sep, xml.dom.Node.ELEMENT_NODE)",
  "names looked up by text":
    "alpha = 1\nbeta = 2\nprint(globals()['alpha'], eval('beta + 1'), '{beta}'.format(**globals()))",
  closures:
    "def counter():\n    count = 0\n    def step():\n        nonlocal count\n        count += 1\n        return count\n    return step\nc = counter()\nprint(c(), c())",
  globals: "hits = 0\ndef hit():\n    global hits\n    hits = hits + 1\nhit(); hit()\nprint(hits)",
  "comprehension scopes":
    "x = 10\ny = [x for x in range(3)]\nz = {x: [x for _ in range(x)] for x in y}\nw = [a + x for a in y for b in [x]]\nprint(x, y, z, w, list(v for v in y if v))",
  "a walrus":
    "data = [1, 5, 3]\nbig = [last for d in data if (last := d * 2) > 4]\nprint(big, last)\nif (n := len(data)) > 2:\n    print(n)",
  "class attributes":
    "size = 3\nclass Model:\n    size = size + 1\n    items = [1, 2]\n    def get(self):\n        return self.size, size\nprint(Model().get(), Model.items)",
  lambdas:
    "add = lambda a, b=2: a + b\nkey = lambda item: -item[1]\nprint(add(1), add(1, b=5), sorted([('x', 1), ('y', 2)], key=key), (lambda *v, **k: (v, k))(1, z=2))",
  exceptions:
    "def parse(text):\n    try:\n        number = int(text)\n    except ValueError as err:\n        return type(err).__name__\n    else:\n        return number\n    finally:\n        print('parsed', text)\nprint(parse('3'), parse('x'))",
  "context managers":
    "import io\nwith io.StringIO('a\\nb') as handle, io.StringIO() as sink:\n    for line in handle:\n        sink.write(line.strip().upper())\n    text = sink.getvalue()\nprint(text)",
  "a match statement":
    "def kind(value):\n    match value:\n        case {'k': inner, **rest}:\n            return inner, rest\n        case [first, *others] if first == 1:\n            return others\n        case str() as text:\n            return text.upper().lower()\n        case _:\n            return None\nprint(kind({'k': 1, 'z': 2}), kind([1, 2, 3]), kind('A b'), kind(5))",
  async:
    "import asyncio\nasync def work(n):\n    out = []\n    for i in range(n):\n        await asyncio.sleep(0)\n        out.append(i * 2)\n    return out\nprint(asyncio.run(work(3)))",
  "independent lines":
    "alpha = 1\nbeta = [2, 3]\ngamma = {'a': alpha}\ndelta = (beta, 4)\nalpha = 5\nprint(alpha, beta, gamma, delta)",
  "dependent lines": "a = 1\nb = a\na = 2\nc = b + a\nb = 3\nprint(a, b, c)",
  "functions side by side":
    "def one():\n    return two() + 1\n\ndef two():\n    return 1\n\ndef three(x=one):\n    return x()\nprint(one(), three())",
  "imports side by side":
    "import random\nimport math\nfrom functools import reduce\nimport string\nrandom.seed(1)\nprint(math.pi > 3, reduce(lambda a, b: a * b, [1, 2, 3]), len(string.digits))",
  semicolons: "a = 1; b = 2; c = a + b\nif c > 2: print(c); print('yes')\nx = 1;\nprint(a, b, c, x)",
  "short lines": "a = 1\nb = 2\nif a < b:\n    print(a)\n    print(b)\nc = [a,\n     b]\nprint(c)  # shown\nd = 3\nd",
  "a docstring": "def f():\n    'What it does.'\n    x = 1\n    return x\nprint(f.__doc__, f())",
  deletion: "x = [1, 2, 3]\ndel x[0]\ny = x\ndel x\nprint(y)",
  "augmented assignment": "x = 3\nx += 1\nx *= 2\nys = [1]\nzs = ys\nys += [2]\nprint(x, ys, zs)",
  "a long call":
    "print('first argument', 'second argument', 'third argument', sep=' | ', end='.\\n')\nprint(max([3, 1, 2], key=lambda v: -v), dict(alpha=1, beta=2, gamma=[1, 2, 3], delta='text'))",
  "a long call in a deep place":
    "def report(values):\n    if values:\n        print('{:>10} {:>10} {:>10}'.format(min(values), max(values), sum(values)), 'of', len(values))\nreport([1, 2, 3])",
  "a long call with a string over lines":
    "print('a', '''b\n   c''', 'a rather long third argument', *['x', 'y'], **{'sep': '/'})",
  "a long call in an f-string":
    "print(f\"{', '.join(sorted(['bbbbbbbbbbbbb', 'aaaaaaaaaaaaaaa'], key=len, reverse=True))} end\")",
  "a shown value": "numbers = [3, 1, 2]\nnumbers.sort()\nnumbers",
  "a shown comparison": "count = 3\ncount > 2",
  "a magic among code": "%matplotlib inline\nvalue = 2\n!ls -l {value}\nprint(value * 2)",
  "a timed cell":
    "%%time\nwords = 'a b a'.split()\ncounts = {}\nfor w in words:\n    counts[w] = counts.get(w, 0) + 1\nprint(counts)",
  unicode:
    "größe = 2\nemoji = '😀' * 2\nnaïve = {'ключ': größe}\nfor 名 in naïve:\n    print(名, emoji, naïve[名] + 1)",
  "names that a rewrite might take":
    "step = 1\niterator = [1]\nvar1 = 2\nunused = 3\nfor x in iterator:\n    var2 = 'a b'.upper().split()\nprint(step, iterator, var1, unused, x, var2)",
  "own iter": "def iter(x):\n    return 'mine'\nfor a in [1]:\n    print(a, iter(a))",
  "conditional binding": "flag = True\nif flag:\n    label = 'on'\nelse:\n    label = 'off'\nprint(label)",
  unpacking: "(a, b), [c, *d] = (1, 2), [3, 4, 5]\na, b = b, a\nprint(a, b, c, d)",
  "a dictionary that fills itself":
    "from collections import defaultdict\nd = defaultdict(list)\na = d['x']\nb = d['y']\nprint(list(d))",
  "nested functions and shadowing":
    "x = 1\ndef outer():\n    x = 2\n    def inner():\n        return x\n    y = [x for x in range(2)]\n    return inner(), y\nprint(outer(), x)",
  statistics:
    "import statistics as st\nscores = [72, 85, 91, 60]\nmean = st.mean(scores)\npassed = [s for s in scores if s >= 70]\nprint(f'mean {mean:.1f}, passed {len(passed)}/{len(scores)}')\nfor rank, s in enumerate(sorted(scores, reverse=True), start=1):\n    print(rank, s, s > mean)",
  "csv and json":
    "import csv, io, json\nsource = 'name,price\\na,1.5\\nb,2.5\\n'\nrows = list(csv.DictReader(io.StringIO(source)))\nfor row in rows:\n    row['price'] = float(row['price']) * 2\nprint(json.dumps(rows, sort_keys=True, indent=None, separators=(',', ':')))",
  "names listed at run time": "def f(b):\n    a = 1\n    return sorted(locals()), b\nprint(f(2))",
  "a name made at run time": "total_a = 1\nfor part in ['a']:\n    print(eval('total_' + part))",
  "super in a chain":
    "class A:\n    def get(self):\n        return ' a '\nclass B(A):\n    def get(self):\n        return super().get().strip().upper()\nprint(B().get())",
  "a loop over a conditional":
    "flag = 0\nfor x in [1] if flag else [2, 3]:\n    print(x)\nfor y in [n for n in range(3) if n != 1]:\n    print(y)",
  "a loop header over lines":
    "for a, b in zip([1, 2],\n                [3, 4]):\n\n    print(a * 2,\n          b)\nfor c in 1, \\\n        2:\n    print(c)",
  "a loop that changes its source":
    "d = {'a': 1}\ntry:\n    for k in d:\n        d[k + 'x'] = 2\nexcept RuntimeError as error:\n    print(error, d)",
  "a loop left by return":
    "def first(items, limit):\n    for item in items:\n        if item > limit:\n            return item\n    return None\nprint(first([1, 5, 9], 3), first([], 1))",
  "loops with try, finally and with":
    "import io\nfor n in range(3):\n    try:\n        if n == 1: continue\n        print(n)\n    finally:\n        print('f', n)\nwith io.StringIO('x\\ny') as fh:\n    for line in fh: print(line.strip())",
  "comparisons in strange places":
    "x = 3\nprint([i for i in range(5) if i > 2], {x == 3: x != 3}, x > 2 and x < 9, not x == 4, (lambda v: v >= 2)(x), 'yes' if x == 3 else 'no')\nassert x == 3, 'x is %d' % x",
  "sums in slices and defaults":
    "items = list(range(10))\nn = 2\ndef f(a=n * 2 + 1, *b):\n    return items[a + 1:], b\nprint(items[n + 1:n * 3:1 + 1], f(), f(*[n + 1, 5]), items[-n * 2])",
  branches:
    "score = 71\nif score >= 90:\n    grade = 'A'\nelif score >= 70:\n    grade = 'B'; extra = 1\nelse:\n    grade = 'C'\nwhile score > 70:\n    score -= 1\n    last = score\nprint(grade, extra, last)",
  "a docstring and doctest":
    'def add(a, b):\n    """Adds.\n\n    >>> add(1, 2)\n    3\n    """\n    result = a + b\n    return result\nimport doctest\nprint(doctest.testmod(verbose=False).attempted >= 0, add(1, 2), add.__doc__[:5])',
  "a dataclass":
    "from dataclasses import dataclass, field\n@dataclass(order=True)\nclass Item:\n    name: str\n    tags: list = field(default_factory=list)\n    price: float = 1.0\nitem = Item('a', ['x'], 2.5)\nprint(item, Item('b') > item, item.price * 2 == 5)",
  "regular expressions":
    "import re\npattern = re.compile(r'(?P<key>\\w+)=(?P<value>\"[^\"]*\"|\\d+)')\nfound = {m['key']: m.group('value').strip('\"').upper() for m in pattern.finditer('a=1 b=\"two\"')}\nprint(found, re.sub(r\"[aeiou]\", '', 'education').upper().center(10, '*'))",
};
