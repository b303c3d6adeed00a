/** How people read a group of features; `*` is the feature's name. Groups that are missing speak for themselves. */
const GROUPS: Readonly<Record<string, string>> = {
  rule: "rule *",
  task: "rules for *",
  calls: "call of *",
  methods: "method .*()",
  attributes: "attribute .*",
  keywords: "argument *=",
  modules: "import of *",
  imports: "import of the name *",
  names: "name *",
  builtins: "builtin *",
  syntax: "* in the code",
  magics: "magic *",
  strings: "string with *",
  kind: "statement: *",
  only: "only statements: *",
  outer: "unindented statement: *",
  first: "first statement: *",
  last: "last statement: *",
  end: "last unindented statement: *",
  statements: "number of statements",
  ends: "a task besides setup, looking and preparing",
  broken: "lines that are no Python",
  defines: "functions defined",
  constants: "constants in capitals",
};

/**
 * A feature of the label model in words.
 * @example describeFeature("no methods fit") // "no method .fit()"
 */
export function describeFeature(feature: string): string {
  const absent = feature.startsWith("no ");
  const [group, ...name] = (absent ? feature.slice(3) : feature).split(" ");
  const words = GROUPS[group!];
  if (words === undefined) return feature;
  // A function, because `$` in a name is no pattern.
  return `${absent ? "no " : ""}${words.replace("*", () => name.join(" "))}`;
}
