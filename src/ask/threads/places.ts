import type { UseCases } from "../use-cases.js";

/** Where a use case is answered: by any of the threads that read, by the one that writes, or on the main thread. */
export type Place = "reader" | "writer" | "here";

/** Every use case has its place; a new one needs a line here. */
export const PLACES = {
  labels: "here",
  feedback: "here",
  ready: "here",
  recommend: "reader",
  search: "reader",
  findSimilar: "reader",
  findSimilarTo: "reader",
  label: "reader",
  listNotebooks: "reader",
  getNotebook: "reader",
  findNotebooks: "reader",
  getCell: "reader",
  stats: "reader",
  countLabels: "reader",
  listSources: "reader",
  upload: "writer",
  deleteNotebook: "writer",
  deleteNotebooks: "writer",
  forgetSource: "writer",
  clear: "writer",
} satisfies Record<keyof UseCases, Place>;
