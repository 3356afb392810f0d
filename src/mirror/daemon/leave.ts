import { existsSync } from "node:fs";
import { join } from "node:path";
import { CONFIG_FILE, MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { readMarker } from "../local/marker.ts";
import { createNodeFs } from "../local/node-fs.ts";
import { placeOf } from "../trust/gate.ts";
import { findByMarker } from "../trust/registry.ts";

/** Reason why a folder is no longer synced. */
export type FolderEnd =
  /** It was asked to stop. */
  | { readonly kind: "stopped" }
  /** The folder is no longer linked: `mdmirror unlink`. */
  | { readonly kind: "unlinked" }
  /** `mdmirror mv`. `root`: its present path. */
  | { readonly kind: "moved"; readonly root: string };

/**
 * Finds out whether a command moved or unlinked the folder that it asked the daemon to leave. A
 * folder whose disk is not mounted is neither: it comes back.
 * @param marker as it was when the folder was opened; null if it had none
 * @returns null if the folder is unchanged
 */
export function folderEndOf(
  root: string,
  marker: string | null,
  env: Readonly<Record<string, string | undefined>>,
): Exclude<FolderEnd, { kind: "stopped" }> | null {
  const fs = createNodeFs();
  // A missing configuration or a missing marker alone is an error that is reported and may end.
  if (existsSync(join(root, MIRROR_FOLDER, CONFIG_FILE)) || readMarker(fs, root) !== null) return null;
  if (existsSync(join(root, MIRROR_FOLDER))) return { kind: "unlinked" };
  const place = placeOf(env);
  if (place.kind === "trouble" || marker === null) return null;
  const found = findByMarker(place.value, marker);
  if (found.kind === "unknown") return { kind: "unlinked" };
  const roots = found.kind === "known" ? found.mirror.roots : [];
  const moved = roots.find((other) => other !== root && readMarker(fs, other) === marker);
  return moved === undefined ? null : { kind: "moved", root: moved };
}
