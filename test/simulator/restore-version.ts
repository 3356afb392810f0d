import type { OpenedMirror } from "../../src/mirror/folder/open-mirror.ts";
import { restore } from "../../src/mirror/operations/history/restore.ts";
import { carryOut } from "../../src/mirror/operations/run-operation.ts";

/**
 * Restores a version of one document, without a sync.
 * @param n null for the version before the present one
 */
export function restoreVersion(world: OpenedMirror["world"], path: string, n: number | null) {
  const input = { paths: [path], noSync: true, ...(n === null ? {} : { n }) };
  return carryOut(restore, { world } as OpenedMirror, input);
}
