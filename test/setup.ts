import { loadGrammar } from "../src/python/grammar.js";

await loadGrammar();
