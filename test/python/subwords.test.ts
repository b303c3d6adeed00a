import { describe, expect, it } from "vitest";
import { subwords } from "../../src/python/subwords.js";

describe("subwords", () => {
  it.each<[string, string[]]>([
    ["", []],
    [" \n\t", []],
    ["___", []],
    ["X_train", ["x", "train"]],
    ["readCsv", ["read", "csv"]],
    ["readCSV", ["read", "csv"]],
    ["CSVReader", ["csv", "reader"]],
    ["ALLCAPS", ["allcaps"]],
    ["RandomForestClassifier", ["random", "forest", "classifier"]],
    ["__init__", ["init"]],
    ["x2", ["x", "2"]],
    ["conv2D", ["conv", "2", "d"]],
    ["VGG16Net", ["vgg", "16", "net"]],
    ["3.14", ["3", ".", "14"]],
    ["a+=b[0]", ["a", "+", "=", "b", "[", "0", "]"]],
    ["'it''s'", ["'", "it", "'", "'", "s", "'"]],
    ["größeTest", ["größe", "test"]],
    ["ПриветМир", ["привет", "мир"]],
    ["数据 = 読む(ファイル)", ["数据", "=", "読む", "(", "ファイル", ")"]],
    ["नमस्ते", ["नमस्ते"]],
    ["٣٤", ["٣٤"]],
    ["e\u0301te\u0301", ["e\u0301te\u0301"]],
    ["😀a", ["😀", "a"]],
    ["\0\ud800", ["\0", "\ud800"]],
    ["X_train = readCSV(2)", ["x", "train", "=", "read", "csv", "(", "2", ")"]],
  ])("of %j are %j", (text, expected) => {
    expect(subwords(text)).toEqual(expected);
  });

  it("are equal for all spellings of a name", () => {
    for (const name of ["trainTestSplit", "train_test_split", "TRAIN_TEST_SPLIT", "TrainTestSplit"]) {
      expect(subwords(name)).toEqual(["train", "test", "split"]);
    }
  });
});
