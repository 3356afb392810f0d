import { ok } from "../common/trouble.ts";
import { withLocal } from "../mirror/folder/open-local.ts";
import type { Digest } from "../contract/digest.ts";
import { countLinesOf, diffOf, partOf } from "./bounded.ts";
import { type ToolResult, type Host, refused, type ServedMirror } from "./tool.ts";
import { readNow } from "./tools/read.ts";

/** Refuses a change that was made to another version than the current one. */

/** LIMIT: characters of a diff in a refusal. */
const DIFF_CHARACTERS = 8_000;

/**
 * Returns the refusal of a change to an outdated version, with the difference to the current
 * version.
 * @param given the version that the caller read
 */
export async function refuseStale(mirror: ServedMirror, path: string, given: string, host: Host): Promise<ToolResult> {
  const { text, version } = await readNow(mirror, path, host);
  const before = keptText(mirror.root, given as Digest, host);
  const what = `${path} changed since you read it: nothing was written`;
  const facts = { path, version, given };
  if (before === null) {
    const next = "read it again: the content of the version that you gave is not known";
    return refused({ kind: "usage", what, next, code: "stale" }, facts);
  }
  const diff = diffOf({ before: `${path} as you read it`, after: `${path} now` }, before, text);
  const part = partOf(diff, 1, Number.MAX_SAFE_INTEGER, DIFF_CHARACTERS);
  const leftOut = countLinesOf(diff) - part.to;
  const cut = leftOut > 0 ? { diffLinesLeftOut: leftOut } : {};
  const next =
    leftOut > 0 ? "read it again" : "see the second block for what changed since; then change it with this `version`";
  return refused({ kind: "usage", what, next, code: "stale" }, { ...facts, ...cut }, part.text);
}

/**
 * Returns stored content of a version; null if it is not stored. The version is found only if local
 * files have the same content as the service.
 */
function keptText(root: string, version: Digest, { openOptions }: Host): string | null {
  const read = withLocal(root, openOptions, ({ state }) => ok(state.text(version)));
  // Problems with the state are reported by calls that need the state.
  return read.kind === "trouble" ? null : read.value;
}
