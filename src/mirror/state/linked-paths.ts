import type { LocalPath } from "../../contract/path.ts";
import { LOCAL_PATHS } from "./links.ts";
import { readBeside } from "./read-beside.ts";

/**
 * Local paths of the linked documents, of a state that nobody here has open. None where it cannot
 * be read: whoever asks sends and removes nothing.
 * @param own absolute path of `.mdmirror`
 */
export function readLinkedPaths(own: string): readonly LocalPath[] {
  const read = readBeside(own, (db) => db.prepare<[], LocalPath>(LOCAL_PATHS).pluck().all());
  return read.kind === "read" ? read.value : [];
}
