/** Flags that only say where something is written, with a value and without. */
const WHERE = ["--report", "--data"];
const BARE = ["--json", "--quiet", "--reset-target"];
const HIDDEN = "'***'";

/** A command line that repeats a run: what was typed, without where results went, and without secrets. */
export function describeCommand(words: readonly string[]): string {
  const kept: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!;
    if (BARE.includes(word) || WHERE.some((flag) => word.startsWith(`${flag}=`))) continue;
    if (WHERE.includes(word)) at += 1;
    else if (word === "--target-token") {
      kept.push(word, HIDDEN);
      at += 1;
    } else kept.push(word.startsWith("--target-token=") ? `--target-token=${HIDDEN}` : quote(word));
  }
  return ["celrec", ...kept].join(" ");
}

const quote = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
