import type { Conflict } from "../../model/link.ts";
import type { TextName } from "../../ports/state.ts";
import type { World } from "../run/world.ts";
import { keepFileText } from "./keep-file-text.ts";

/**
 * The name of the text in a sidecar: it belongs to the document, whether edited or not, because the
 * sidecar's own path ends with the conflict.
 */
export function otherVersion({ state }: Pick<World, "state">, { id, sidecarPath: at }: Conflict): TextName {
  return { path: state.link(id)?.localPath ?? at, id, side: "both", why: "the other version, as it stood beside" };
}

/**
 * Stores the sidecar's text as it is now: its user may edit it, and remove it before anything else
 * reads it (I03). Bytes that are no text stay a file.
 */
export function keepSidecar(world: Pick<World, "state" | "disk">, conflict: Conflict): void {
  keepFileText(world, conflict.sidecarPath, otherVersion(world, conflict));
}
