import { existsSync } from "node:fs";
import { join } from "node:path";
import { CONFIG_FILE, MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { readMarker } from "../local/marker.ts";
import { createNodeFs } from "../local/node-fs.ts";
import { placeOf } from "../trust/gate.ts";
import { findByMarker } from "../trust/registry.ts";

/** A command works on the folder; `free` is called when nothing of it is open here. */
export type Leaving = { readonly gone: AbortSignal; readonly free: () => void };

/** How the keeping of a folder ended. */
export type FolderEnd =
  /** It was asked to. */
  | { readonly kind: "stopped" }
  /** The folder is no mirror any more: `mdmirror unlink`. */
  | { readonly kind: "unlinked" }
  /** `mdmirror mv`. `root`: where it is now. */
  | { readonly kind: "moved"; readonly root: string };

/**
 * Where a mirror is that a command asked the daemon to leave, and which it may have moved or
 * unlinked. A folder that is away (its disk is not mounted) is neither: it comes back.
 * @param marker as it was when the folder was opened; null: it had none
 * @returns null: where it was
 */
export function endOfLeft(
  root: string,
  marker: string | null,
  env: Readonly<Record<string, string | undefined>>,
): Exclude<FolderEnd, { kind: "stopped" }> | null {
  const fs = createNodeFs();
  // A configuration alone that is away, or a marker, is a fault: it is told, and may come back.
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
