import { expect, it } from "vitest";
import { cleanAnswer } from "../../../src/evaluate/targets/model/model-target.js";

it.each([
  ["a bare answer stays", "x = 1\ny = 2", "x = 1\ny = 2"],
  ["a fence is removed", "```\nx = 1\n```", "x = 1"],
  ["a fence with a language is removed", "```python\nx = 1\n\ny = 2\n```\n", "x = 1\n\ny = 2"],
  ["prose around a fence is removed", "Sure, here it is:\n\n```py\nx = 1\n```\nThis sets x.", "x = 1"],
  ["of two blocks the first is taken", "```\na\n```\nor\n```\nb\n```", "a"],
  ["a fence of tildes is removed", "~~~python\nx = '```'\n~~~", "x = '```'"],
  ["a fence that an incomplete answer never closes is removed", "```python\nx = 1\ny =", "x = 1\ny ="],
  ["backticks inside of a line stay", "```python\nx = '`a`'\n```", "x = '`a`'"],
  ["the backticks of an inline code span are removed", "`df.head()`", "df.head()"],
  ["a language tag without a fence is removed", "python\nx = 1", "x = 1"],
  ["a name that starts like a tag stays", "python_path = 1", "python_path = 1"],
  ["white space around the code is removed, and indentation stays", "\n \n    return x\n\n", "    return x"],
  ["thoughts are removed", "<think>\n```\nno\n```\n</think>\n```python\nx = 1\n```", "x = 1"],
  ["Windows line ends become line feeds", "```python\r\nx = 1\r\n```", "x = 1"],
  ["an empty fence gives an empty text", "```python\n```", ""],
])("%s", (_, answer, wanted) => expect(cleanAnswer(answer)).toBe(wanted));
