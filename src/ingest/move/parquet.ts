import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { type BasicType, type ColumnSource, fileWriter, ParquetWriter, schemaFromColumnData } from "hyparquet-writer";
import { RecommenderError } from "../../errors.js";

/** The columns of a table and their types; columns in `nullable` may be null. */
export interface Columns {
  readonly [name: string]: { readonly type: BasicType; readonly nullable?: true };
}

export type Row = Readonly<Record<string, unknown>>;

/** A Parquet file that is written some rows at a time. */
interface TableWriter {
  write(rows: readonly Row[]): Promise<void>;
  finish(): Promise<void>;
}

/** `notes` are stored as metadata of the table. */
export function createTable(file: string, columns: Columns, notes: Readonly<Record<string, string>>): TableWriter {
  const toColumns = (rows: readonly Row[]): ColumnSource[] =>
    Object.entries(columns).map(([name, { type, nullable }]) => ({
      name,
      type,
      nullable: nullable === true,
      data: rows.map((row) => row[name] ?? null),
    }));
  const explained = async (action: () => void | Promise<void>) => {
    try {
      await action();
    } catch (error) {
      throw explainWrite(file, error);
    }
  };
  const writer = new ParquetWriter({
    writer: fileWriter(file),
    schema: schemaFromColumnData({ columnData: toColumns([]) }),
    kvMetadata: Object.entries(notes).map(([key, value]) => ({ key, value })),
  });
  return {
    write: (rows) =>
      explained(async () => {
        if (rows.length > 0) await writer.write({ columnData: toColumns(rows), rowGroupSize: rows.length });
      }),
    finish: () => explained(() => writer.finish()),
  };
}

/** Converts system errors; any other error is a bug and returned unchanged. */
function explainWrite(file: string, error: unknown): unknown {
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return error;
  return code === "ENOSPC" || code === "EDQUOT"
    ? new RecommenderError(
        "DISK_FULL",
        `${file} cannot be written: the disk is full; make room and repeat the command.`,
        {
          cause: error,
        },
      )
    : new RecommenderError("INPUT_INVALID", `${file} cannot be written: ${message}.`, { cause: error });
}

interface TableReader {
  readonly rows: number;
  readonly notes: ReadonlyMap<string, string>;
  read(from: number, to: number): Promise<Row[]>;
}

/** Opens a Parquet file; NOT_FOUND if it is missing, INPUT_INVALID if it is no Parquet file. */
export async function openTable(path: string): Promise<TableReader> {
  try {
    const file = await asyncBufferFromFile(path);
    const metadata = await parquetMetadataAsync(file);
    return {
      rows: Number(metadata.num_rows),
      notes: new Map((metadata.key_value_metadata ?? []).map(({ key, value }) => [key, value ?? ""])),
      read: async (rowStart, rowEnd) => {
        try {
          return await parquetReadObjects({ file, metadata, rowStart, rowEnd, utf8: false });
        } catch (cause) {
          throw unreadable(path, cause);
        }
      },
    };
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): RecommenderError {
  const isMissing = (cause as NodeJS.ErrnoException).code === "ENOENT";
  const reason = isMissing ? "there is no such file" : (cause as Error).message;
  return new RecommenderError(isMissing ? "NOT_FOUND" : "INPUT_INVALID", `${path} cannot be read: ${reason}.`, {
    cause,
  });
}
