import { loadGrammar } from "../src/clean/grammar.js";

await loadGrammar();
