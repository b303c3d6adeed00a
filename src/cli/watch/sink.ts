/** A notebook in a folder that is watched: source and path are those that `celrec index FOLDER` gives it. */
export interface WatchedFile {
  readonly file: string;
  readonly source: string;
  readonly path: string;
}

/** What became of a file. One that is half written may be complete a moment later; a script without cells is no notebook. */
export type Outcome =
  | "no notebook"
  | { readonly cells: number; readonly unchanged: boolean }
  | { readonly reason: string; readonly isHalf: boolean };

/** Where watched notebooks go. */
export interface Sink {
  /** Brings the folders as a whole in step. */
  sync(): Promise<void>;
  /** One outcome per file, in their order. */
  put(files: readonly WatchedFile[]): Promise<Outcome[]>;
  /** False where it was not there. */
  remove(file: WatchedFile): Promise<boolean>;
  close(): Promise<void>;
}
