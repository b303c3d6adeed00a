import type { IndexIdentity, NewCell, VectorStore } from "../../src/store/vector-store.js";

export const IDENTITY: IndexIdentity;
export const LIMITS: { minSavedRows: number; maxBehindShare: number; partRows: number };
export function sha(text: string): string;
export function toCell(code: string): NewCell;
export function applyStep(store: VectorStore, step: number): Promise<void>;
export function follow(held: Map<string, string[]>, step: number): Map<string, string[]>;
