import { describe, expect, it } from "vitest";
import { findSecrets, maskSecrets } from "../../src/ask/inspect-upload.js";

/** Assembled at run time, so secret scanners find no key in this file. */
const KEY = `${"AK"}IAQ2W3E4R5T6Y7U8I9`;
const TOKEN = `${"gh"}p_${"a1".repeat(18)}`;

const HEX = "0123456789abcdef".repeat(2);

describe("findSecrets", () => {
  it.each([
    [`client("${KEY}")`, "AWS access key", KEY],
    [`!git clone https://${TOKEN}@github.com/a/b`, "GitHub token", TOKEN],
    ['engine = create_engine("postgresql://me:s3cr3t!@db/x")', "password in a URL", "s3cr3t!"],
    ["password = 'correct-horse'", "password or key in a string", "correct-horse"],
    ['os.environ["API_KEY"] = "abcdefgh12345"', "password or key in a string", "abcdefgh12345"],
    ['{"secret": "abcdefgh12345"}', "password or key in a string", "abcdefgh12345"],
    [`t = "${"sk"}-${"ab12".repeat(8)}"`, "OpenAI or Anthropic key", `${"sk"}-${"ab12".repeat(8)}`],
    [`os.environ['KAGGLE_KEY']='${HEX}'`, "key in hex", HEX],
    [`wandb.login(key='${HEX}01234567')`, "key in hex", `${HEX}01234567`],
    [`import os\n%env KAGGLE_KEY=${HEX}`, "password or key of the environment", HEX],
    ["%env DB_PASSWORD correct-horse", "password or key of the environment", "correct-horse"],
    [`headers = {'Authorization': 'Bearer ${HEX}'}`, "token in a header", HEX],
    [`!curl -H "Authorization: Bearer ${HEX}" https://a.example`, "token in a header", HEX],
  ])("finds the secret in %s", (text, kind, secret) => {
    expect(findSecrets(text)).toEqual([{ kind, at: text.indexOf(secret), length: secret.length }]);
  });

  it.each([
    "password = getpass()",
    'password = "********"',
    'api_key = "YOUR_API_KEY"',
    'api_key = "<your key here>"',
    'url = "https://example.org/a:b@c"',
    'df["password_length"] = df["password"].str.len()',
    "tokens = 'short'",
    "password_col = 'password_hash'",
    "password_column = 'digest_of_it'",
    "df.rename(columns={'password': 'password_hash'})",
    "%env TOKENIZERS_PARALLELISM=false",
    "%env GOOGLE_KEY=/keys/google.json",
    "%env API_KEY=$MY_API_KEY",
    "headers = {'Authorization': f'Bearer {token}'}",
    "key = 'a-plain-word'",
    "",
  ])("finds nothing in %j", (text) => {
    expect(findSecrets(text)).toEqual([]);
  });

  it("is fast on hostile text", () => {
    for (const text of [
      "a:".repeat(30_000),
      "password".repeat(8_000),
      "'".repeat(60_000),
      "x://a:".repeat(10_000),
      "key=".repeat(15_000),
      "authorization:".repeat(4_000),
      "%env ".repeat(12_000),
    ])
      expect(findSecrets(text)).toEqual([]);
  });
});

describe("maskSecrets", () => {
  it("leaves everything else as it is", () => {
    const text = `a("${KEY}")\nb = "x"\npassword = 'correct-horse'`;
    expect(maskSecrets(text, findSecrets(text))).toBe(`a("********")\nb = "x"\npassword = '********'`);
  });
});
