const THOUGHT = /^\s*<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/i;
/** The first fenced block; an answer that was cut off has no closing fence. */
const FENCED = /^[ \t]*(`{3,}|~{3,})[^\n`]*\n([\s\S]*?)(?:^[ \t]*\1[ \t]*$|(?![\s\S]))/m;
const ONE_LINE = /^`{1,3}([^`\n]+)`{1,3}$/;
/** A language tag that is left on a line of its own. */
const TAG = /^(?:python3?|py|ipython3?|text|plaintext|output)[ \t]*\n/i;

/**
 * Themisto's post-processing of a model's answer: without code fences, language tags and the white space around it. Of an
 * answer with prose the first fenced block is taken. What a reasoning model thinks aloud is dropped.
 * @example cleanAnswer("Sure:\n```python\nx = 1\n```") // "x = 1"
 */
export function cleanAnswer(answer: string): string {
  const text = answer.replaceAll("\r\n", "\n").replace(THOUGHT, "");
  const fenced = FENCED.exec(text)?.[2];
  if (fenced !== undefined) return trimLines(fenced);
  const bare = trimLines(text);
  const [, inline] = ONE_LINE.exec(bare) ?? [];
  return inline ?? trimLines(bare.replace(TAG, ""));
}

/** Without blank lines at the start and white space at the end; the indentation of the first line stays. */
function trimLines(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
}
