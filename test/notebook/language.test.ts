import { describe, expect, it } from "vitest";
import { foreignLanguage } from "../../src/notebook/language.js";

describe("foreignLanguage", () => {
  it.each<[string, unknown]>([
    ["nothing is said", undefined],
    ["the metadata is no object", "python"],
    ["the kernel's language is python", { kernelspec: { language: "python", name: "ir" } }],
    ["the kernel's language is Python 3", { kernelspec: { language: "Python 3" } }],
    [
      "the kernel says python and the editor plaintext",
      { kernelspec: { language: "python" }, language_info: { name: "plaintext" } },
    ],
    ["only the editor speaks, and says plaintext", { language_info: { name: "plaintext" } }],
    ["the language is ipython", { language_info: { name: "ipython" } }],
    ["the language is sage", { kernelspec: { language: "sage" } }],
    ["the kernel has an unknown name", { kernelspec: { name: "conda-env-ml-py" } }],
    ["the environment's name starts like another kernel's", { kernelspec: { name: "iris" } }],
    ["the environment is called javaproject", { kernelspec: { name: "javaproject" } }],
    ["the environment is called rustic", { kernelspec: { name: "rustic" } }],
    ["the language is blank", { kernelspec: { language: " " }, language_info: { name: "" } }],
    ["the language is a number", { kernelspec: { language: 3, name: 4 }, language_info: { name: {} } }],
    ["the metadata's language is a human one", { language: "en" }],
  ])("is null where %s", (_, metadata) => {
    expect(foreignLanguage(metadata)).toBe(null);
  });

  it.each<[string, string, unknown]>([
    ["the kernel's language", "R", { kernelspec: { language: "R", name: "python3" } }],
    [
      "the kernel's language against the editor's",
      "julia",
      { kernelspec: { language: "julia" }, language_info: { name: "python" } },
    ],
    ["the editor's language", "scala", { language_info: { name: "scala" }, kernelspec: { name: "x" } }],
    ["the kernel's name", "ir", { kernelspec: { name: "ir" } }],
    ["the kernel's name with a version", "julia-1.9", { kernelspec: { name: "julia-1.9" } }],
    ["the kernel's name with a number", "xcpp17", { kernelspec: { name: "xcpp17" } }],
    ["the kernel's name with a suffix", "spylon-kernel", { kernelspec: { name: "spylon-kernel" } }],
    ["the kernel's dotted name", ".net-csharp", { kernelspec: { name: ".net-csharp" } }],
    ["the kernel's compound name", "wolframlanguage13", { kernelspec: { name: "wolframlanguage13" } }],
    ["the language of nbformat 3", "Julia", { language: "Julia", name: "" }],
  ])("is %s", (_, language, metadata) => {
    expect(foreignLanguage(metadata)).toBe(language);
  });
});
