import { isDocId } from "../contract/ids.ts";
import type { Result } from "../common/trouble.ts";
import type { Io } from "./command.ts";
import { findMirror, locate, locateOrRoot } from "./find-mirror.ts";

/** Works as `locateDocument`, and accepts the linked folder itself, whose name is "". */
export function locateAny(io: Io, name: string): Result<{ readonly root: string; readonly name: string }> {
  return isDocId(name) ? locateDocument(io, name) : asDocument(locateOrRoot(io, name));
}

/**
 * Finds the linked folder of a document, and its name in that folder: a path below the root, or the
 * given id `doc_…`.
 */
export function locateDocument(io: Io, name: string): Result<{ readonly root: string; readonly name: string }> {
  if (!isDocId(name)) return asDocument(locate(io, name));
  const root = findMirror(io, undefined);
  return root.kind === "trouble" ? root : { kind: "ok", value: { root: root.value, name } };
}

function asDocument(place: ReturnType<typeof locate>): Result<{ readonly root: string; readonly name: string }> {
  return place.kind === "trouble" ? place : { kind: "ok", value: { root: place.value.root, name: place.value.path } };
}
