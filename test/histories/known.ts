import { rowsOf, textsOf } from "./facts.ts";
import type { ExecutedOperation } from "./operation.ts";
import type { Json } from "../../src/conformance/world.ts";
import type { Dice } from "../simulator/dice.ts";

/** A version of a document, as some client read it. */
export type Version = { readonly id: string; readonly change: string; readonly text: string };

/** LIMIT: versions of one document on which clients still base edits. */
const MAX_VERSIONS = 4;
const MAX_FOLDERS = 12;
/** LIMIT: deleted documents that clients still request. */
const MAX_GONE = 3;

/**
 * What all clients of a history know of the workspace together, so that they often use the same
 * documents.
 */
export class Known {
  readonly #versions = new Map<string, Version[]>();
  readonly #gone: Version[][] = [];
  readonly #folders = new Map<string, string>();
  readonly #reviews = new Map<string, string>();

  learn(done: ExecutedOperation): void {
    const { op, answer } = done;
    if (answer === null) return;
    for (const row of rowsOf(done))
      if (row.text !== null) this.#keep({ id: row.id, change: row.change, text: row.text });
    if (op.kind === "edit" && answer.status === 202) {
      this.#reviews.set(answer.json.id, op.id);
      for (const [change, text] of textsOf(done)) this.#keep({ id: op.id, change, text });
    }
    this.#learnFolders(done);
    const code = answer.json?.code;
    const isGone = (op.kind === "delete" && answer.status === 204) || code === "file_not_found";
    if (isGone && "id" in op) this.#forget(op.id);
    if ("file" in op && op.kind !== "show-review") this.#reviews.delete(op.id);
  }

  #learnFolders(done: ExecutedOperation): void {
    const { op, answer } = done;
    for (const { path, parent } of rowsOf(done)) if (parent !== null) this.#folders.set(parent, path);
    if (answer!.status < 300 && op.kind === "make-folder") this.#folders.set(answer!.json.id, answer!.json.path);
    if (answer!.status === 200 && op.kind === "list" && op.of === "folders")
      for (const { id, path } of answer!.json.data as Json[]) this.#folders.set(id, path);
    const isGone = answer!.json?.code === "folder_not_found" || (op.kind === "delete-folder" && answer!.status === 204);
    if (!isGone) return;
    if ("parentId" in op && op.parentId !== null) this.#folders.delete(op.parentId);
    if (op.kind.endsWith("-folder") && "id" in op) this.#folders.delete(op.id);
  }

  #keep(version: Version): void {
    const known = this.#versions.get(version.id) ?? [];
    const others = known.filter(({ change }) => change !== version.change);
    this.#versions.set(version.id, [...others, version].slice(-MAX_VERSIONS));
  }

  #forget(id: string): void {
    const known = this.#versions.get(id);
    if (known === undefined) return;
    this.#versions.delete(id);
    this.#gone.push(known);
    if (this.#gone.length > MAX_GONE) this.#gone.shift();
  }

  get documents(): number {
    return this.#versions.size;
  }

  /** Picks a document that exists as far as is known, and sometimes a deleted one. */
  document(dice: Dice): readonly Version[] | null {
    const all = dice.below(15) === 0 ? this.#gone : [...this.#versions.values()];
    return all.length === 0 ? null : dice.pick(all);
  }

  /** Picks a folder. Returns its id; null for the root. */
  folder(dice: Dice): string | null {
    return dice.pick([null, ...this.#folders.keys()]);
  }

  hasManyFolders(): boolean {
    return this.#folders.size >= MAX_FOLDERS;
  }

  /** Picks a change in review. Returns its id and its document's id. */
  review(dice: Dice): readonly [string, string] | null {
    return this.#reviews.size === 0 ? null : dice.pick([...this.#reviews]);
  }
}
