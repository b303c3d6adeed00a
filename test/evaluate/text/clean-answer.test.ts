import { expect, it } from "vitest";
import { cleanAnswer } from "../../../src/evaluate/targets/model/model-target.js";

it.each([
  ["a bare answer stays", "x = 1\ny = 2", "x = 1\ny = 2"],
  ["a fence goes", "```\nx = 1\n```", "x = 1"],
  ["a fence with a language goes", "```python\nx = 1\n\ny = 2\n```\n", "x = 1\n\ny = 2"],
  ["prose around a fence goes", "Sure, here it is:\n\n```py\nx = 1\n```\nThis sets x.", "x = 1"],
  ["of two blocks the first is taken", "```\na\n```\nor\n```\nb\n```", "a"],
  ["tildes fence as well", "~~~python\nx = '```'\n~~~", "x = '```'"],
  ["an answer that was cut off has no closing fence", "```python\nx = 1\ny =", "x = 1\ny ="],
  ["backticks inside of a line stay", "```python\nx = '`a`'\n```", "x = '`a`'"],
  ["an inline code span goes", "`df.head()`", "df.head()"],
  ["a language tag alone goes", "python\nx = 1", "x = 1"],
  ["a name that starts like a tag stays", "python_path = 1", "python_path = 1"],
  ["white space around goes, indentation stays", "\n \n    return x\n\n", "    return x"],
  ["thoughts go", "<think>\n```\nno\n```\n</think>\n```python\nx = 1\n```", "x = 1"],
  ["Windows line ends go", "```python\r\nx = 1\r\n```", "x = 1"],
  ["an empty fence is nothing", "```python\n```", ""],
])("%s", (_, answer, wanted) => expect(cleanAnswer(answer)).toBe(wanted));
