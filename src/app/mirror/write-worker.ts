import { parentPort, workerData } from "node:worker_threads";
import { writeCreated } from "../../engine/journal/write-created.ts";
import type { PackedText } from "../../contract/packed-text.ts";
import type { CreatedRows } from "../../ports/row-writer.ts";
import { faultOf } from "../../state/database.ts";
import { openBeside } from "../../state/open.ts";
import type { StoredState } from "../../state/state.ts";
import { systemClock } from "./clock.ts";

/** The thread of `write-aside.ts`: writes the rows of new files to the state. */

/** Where a packed text is: in which of the pieces of memory, from where on, how many bytes. */
type Lying = Omit<PackedText, "bytes"> & {
  readonly piece: number;
  readonly begin: number;
  readonly length: number;
};
export type WrittenRows = Omit<CreatedRows, "text" | "lent"> & { readonly text: string | PackedText | Lying };
export type WriteTask = { readonly rows: readonly WrittenRows[]; readonly pieces: readonly SharedArrayBuffer[] };

let state: StoredState | null = null;

/** @returns whether all of it is committed */
function perform({ rows, pieces }: WriteTask): boolean {
  state ??= openBeside(workerData as string, systemClock());
  const open = state;
  if (open === null) return false;
  const all = rows.map((row) => ({ ...row, text: textOf(row.text, pieces) }));
  try {
    open.transact(() => writeCreated(open, all));
    return true;
  } catch (error) {
    // A full disk, a damaged file, a lock that does not end: whoever asked tries, and tells of it.
    if (faultOf(error) === null) throw error;
    return false;
  }
}

function textOf(text: WrittenRows["text"], pieces: readonly SharedArrayBuffer[]): string | PackedText {
  if (typeof text === "string" || "bytes" in text) return text;
  const { codec, size, piece, begin, length } = text;
  return { codec, size, bytes: Buffer.from(pieces[piece]!, begin, length) };
}

/** null: there is no more to come, and the files are to be closed. */
parentPort?.on("message", (task: WriteTask | null) => {
  if (task !== null) {
    parentPort!.postMessage(perform(task));
    return;
  }
  state?.close();
  parentPort!.close();
});
