import type { Conflict } from "../../model/link.ts";
import type { TextName } from "../../ports/state.ts";
import type { World } from "../run/world.ts";

/**
 * What stands beside a document is the document's, edited or not: its own path goes with the
 * conflict.
 */
export function otherVersion({ state }: Pick<World, "state">, { id, sidecarPath: at }: Conflict): TextName {
  return { path: state.link(id)?.localPath ?? at, id, side: "both", why: "the other version, as it stood beside" };
}

/**
 * Into the text store as it is now: its user may edit it, and take it away before anything else
 * reads it (I03). Bytes that are no text stay a file.
 */
export function keepSidecar(world: Pick<World, "state" | "disk">, conflict: Conflict): void {
  const read = world.disk.read(conflict.sidecarPath);
  if (read.kind === "done") world.state.putKnownText(read.value.digest, read.value.text, otherVersion(world, conflict));
}
