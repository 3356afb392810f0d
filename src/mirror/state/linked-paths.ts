import type { LocalPath } from "../../contract/path.ts";
import { LOCAL_PATHS } from "./links.ts";
import { readBeside } from "./read-beside.ts";

/**
 * Returns the local paths of linked documents, from a state that this process has not opened. Empty
 * if it cannot be read: the caller sends and removes nothing.
 * @param own absolute path of `.mdmirror`
 */
export function readLinkedPaths(own: string): readonly LocalPath[] {
  const read = readBeside(own, (db) => db.prepare<[], LocalPath>(LOCAL_PATHS).pluck().all());
  return read.kind === "read" ? read.value : [];
}
