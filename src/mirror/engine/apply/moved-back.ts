import { sameInodeAndBirth } from "../../model/link.ts";
import type { Look } from "../../ports/disk.ts";
import type { Intent } from "../../ports/state.ts";
import type { World } from "../run/world.ts";

/**
 * Handles a move on the service that was interrupted, and whose user has moved the file or folder
 * back since. Base still has the old local place, so nothing would look moved locally, and the
 * document would follow the service to the place that its user gave up.
 */

type Moved = Extract<Intent, { kind: "patch" | "patch-folder" }>;

/** Returns whether the user reverted the move that the intent was for. */
export function isMovedBack({ disk, state }: World, intent: Moved): boolean {
  const { stands } = intent;
  const base = intent.kind === "patch" ? state.link(intent.id) : state.dir(intent.dirId);
  if (base === null || stands === undefined || stands === base.localPath) return false;
  const now = disk.look(base.localPath);
  const isOwn = "stamp" in base ? isFileOf(now, base.stamp) : isFolderOf(now, base);
  if (isOwn) return true;
  return now.kind === (intent.kind === "patch" ? "file" : "folder") && disk.look(stands).kind === "absent";
}

function isFileOf(look: Look, stamp: Parameters<typeof sameInodeAndBirth>[0] | null): boolean {
  return look.kind === "file" && stamp !== null && sameInodeAndBirth(look.stamp, stamp);
}

function isFolderOf(look: Look, { dev, ino, birthMs }: Inode): boolean {
  return look.kind === "folder" && look.ino === ino && look.dev === dev && look.birthMs === birthMs;
}

type Inode = { readonly dev: number; readonly ino: number; readonly birthMs: number };
