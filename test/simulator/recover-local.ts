import type { Digest } from "../../src/contract/digest.ts";
import type { LocalPath } from "../../src/contract/path.ts";
import type { Disk } from "../../src/mirror/ports/disk.ts";

/**
 * Recovers an open row of the journal by observation alone. Tests compare the engine's recovery
 * with this model.
 */

export type LocalIntent =
  | {
      readonly kind: "replace";
      readonly path: LocalPath;
      readonly setAsideAt: string;
      readonly expect: Digest;
      readonly writes: Digest;
    }
  | { readonly kind: "trash"; readonly path: LocalPath; readonly setAsideAt: string }
  | { readonly kind: "move"; readonly from: LocalPath; readonly to: LocalPath };

/**
 * Returns `open` if the row cannot be concluded yet. Calls `keep` with content that must be stored
 * before its set-aside file is removed.
 */
export function recoverLocal(disk: Disk, intent: LocalIntent, keep: (text: string) => void): "settled" | "open" {
  if (intent.kind === "move") return recoverMove(disk, intent.from, intent.to);
  const setAside = disk.readSetAside(intent.setAsideAt, intent.path);
  if (setAside.kind === "done" && setAside.value === null) return "settled";
  const there = disk.look(intent.path);
  if (there.kind === "unknown") return "open";
  const back = disk.putBack(intent.setAsideAt, intent.path);
  if (back.kind === "done") return "settled";
  // The path is taken, by the new content or by another file. Both files stay.
  if (back.kind === "fault") return "open";
  if (intent.kind === "trash") return "settled";
  if (setAside.kind !== "done" || setAside.value === null) return "open";
  keep(setAside.value.text);
  disk.removeSetAside(intent.setAsideAt);
  return "settled";
}

function recoverMove(disk: Disk, from: LocalPath, to: LocalPath): "settled" | "open" {
  const [source, target] = [disk.look(from), disk.look(to)];
  if (source.kind === "unknown" || target.kind === "unknown") return "open";
  if (source.kind !== "file" || target.kind !== "file") return "settled";
  const same = source.stamp.ino === target.stamp.ino && source.stamp.dev === target.stamp.dev && source.stamp.nlink > 1;
  return same && disk.move(from, to, null).kind === "fault" ? "open" : "settled";
}
