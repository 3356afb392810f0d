import { isTemporaryName } from "../../../src/mirror/model/local-name.ts";
import type { Block } from "../../../src/mirror/model/link.ts";
import { isConflictCopyName, nameOf } from "../../../src/contract/path.ts";
import { isRefusedForLinks } from "./oracle-links.ts";
import type { LiveFile } from "./live-lists.ts";
import type { SimulatedMirror } from "./mirror.ts";

/**
 * Checks I13 and I26: no temporary name is left, and no conflict copy is on the service.
 * @param local paths of the files in the folder
 * @param live documents that the mirror's key may read
 */
export function checkNames(
  { state }: SimulatedMirror,
  local: readonly string[],
  live: readonly LiveFile[],
  fail: (what: string, when: boolean) => void,
): void {
  const leftAlone = new Set<string>();
  for (const block of state.load().blocks.values()) if (isLeftAlone(block, live)) leftAlone.add(block.path);
  for (const path of [...local.filter((one) => !leftAlone.has(one)), ...live.map((file) => file.path)])
    fail(`I13 a name that only breaks a cycle is left: ${path}`, isTemporaryName(nameOf(path)));
  for (const file of live) fail(`I26 a sidecar is on the service: ${file.path}`, isConflictCopyName(nameOf(file.path)));
}

/**
 * Returns true for a file that mdmirror leaves alone: it is no text because a power cut damaged it,
 * or it is no document's and the service refuses it. Its block reports its name.
 */
function isLeftAlone(block: Block, live: readonly LiveFile[]): boolean {
  if (block.reason === "contains-nul") return true;
  return block.key === block.path && (block.reason === "read-only" || isRefusedForLinks(block, live));
}
