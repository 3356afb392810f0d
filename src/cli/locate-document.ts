import { isDocId } from "../contract/ids.ts";
import type { Result } from "../common/trouble.ts";
import type { Io } from "./command.ts";
import { findMirror, locate, locateOrRoot } from "./find-mirror.ts";

/** The same; the mirrored folder itself is all that is in it, and has no name. */
export function locateAny(io: Io, name: string): Result<{ readonly root: string; readonly name: string }> {
  return isDocId(name) ? locateDocument(io, name) : asDocument(locateOrRoot(io, name));
}

/**
 * The mirrored folder in which a document is, and what names it there: a path below the root, or
 * the id `doc_…` that was given.
 */
export function locateDocument(io: Io, name: string): Result<{ readonly root: string; readonly name: string }> {
  if (!isDocId(name)) return asDocument(locate(io, name));
  const root = findMirror(io, undefined);
  return root.kind === "trouble" ? root : { kind: "ok", value: { root: root.value, name } };
}

function asDocument(place: ReturnType<typeof locate>): Result<{ readonly root: string; readonly name: string }> {
  return place.kind === "trouble" ? place : { kind: "ok", value: { root: place.value.root, name: place.value.path } };
}
