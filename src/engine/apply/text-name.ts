import type { DocId } from "../../contract/ids.ts";
import type { LocalPath } from "../../model/path.ts";
import type { OnText } from "../../ports/disk.ts";
import type { State, TextName } from "../../ports/state.ts";
import type { BaseTree } from "../../model/tree.ts";

/**
 * By what a text is found again (`history`, `show`, `restore`): where it stood, whose it was, and
 * what brought it.
 */

export function seenHere(path: LocalPath, id: DocId | null, why = "seen in the folder"): TextName {
  return { path, id, side: "local", why };
}

export function seenThere(path: LocalPath, id: DocId, why = "seen on the service"): TextName {
  return { path, id, side: "remote", why };
}

export function madeOfBoth(path: LocalPath, id: DocId, why: string): TextName {
  return { path, id, side: "both", why };
}

/**
 * Keeps what a walk reads, under the document that base has there. The index is made with the first
 * text: most walks read none.
 */
export function keepHere(state: State, base: BaseTree): OnText {
  let ids: Map<LocalPath, DocId> | null = null;
  return (digest, text, path) => {
    ids ??= new Map([...base.links.values()].map((link) => [link.localPath, link.id]));
    state.putKnownText(digest, text, seenHere(path, ids.get(path) ?? null));
  };
}
