/**
 * Makes the names of stored content, by which users find it: path, document, and why it was stored.
 */

import { once } from "../../../common/once.ts";
import type { DocId } from "../../../contract/ids.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { State, TextName } from "../../ports/state.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { RecordColumns } from "../../model/left-out.ts";
import type { BaseTree } from "../../model/tree.ts";
import type { World } from "../run/world.ts";

type StoreText = (digest: Digest, text: string, path: LocalPath) => void;

export function nameLocalContent(path: LocalPath, id: DocId | null, why = "found in the folder"): TextName {
  return { path, id, side: "local", why };
}

export function nameRemoteContent(path: LocalPath, id: DocId, why = "found on the service"): TextName {
  return { path, id, side: "remote", why };
}

export function nameMergedContent(path: LocalPath, id: DocId, why: string): TextName {
  return { path, id, side: "both", why };
}

/**
 * Returns a function that stores the content of a scanned file, named by the document whose record
 * has the file's path.
 * @param columns records that base does not contain; undefined if base contains all records
 */
export function makeLocalContentStore(state: State, base: BaseTree, columns?: RecordColumns): StoreText {
  const idsByPath = once(
    () => new Map(Array.from(base.records.values(), ({ localPath, id }) => [localPath, id] as const)),
  );
  return (digest, text, path) => {
    const id = columns === undefined ? (idsByPath().get(path) ?? null) : columns.idAt(path);
    state.putKnownText(digest, text, nameLocalContent(path, id));
  };
}

/**
 * Stores the current content of a file before the file is changed or removed (I03).
 * @returns digest of the content; null if the file is not text, which is not stored
 */
export function storeFileText(
  { disk, state }: Pick<World, "disk" | "state">,
  path: LocalPath,
  name: TextName,
): Digest | null {
  const readOutcome = disk.read(path);
  if (readOutcome.kind !== "done") return null;
  state.putKnownText(readOutcome.value.digest, readOutcome.value.text, name);
  return readOutcome.value.digest;
}

/**
 * Stores the current content of a conflict copy (I03), because the user may edit the copy and then
 * remove it before mdmirror reads it again. Content that is not text is not stored. The stored
 * content gets the name of the document, because the copy exists only during the conflict.
 */
export function storeConflictCopy(world: Pick<World, "state" | "disk">, id: DocId, path: LocalPath): void {
  const document = world.state.record(id)?.localPath ?? path;
  storeFileText(world, path, { path: document, id, side: "both", why: "the other version of a conflict" });
}
