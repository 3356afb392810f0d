/** Ends effects: base and everything that belongs to the effect change in one transaction. */

import type { ChangeId, DirId, DocId } from "../../../contract/ids.ts";
import type { OutcomeOf } from "../../model/action.ts";
import type { Digest } from "../../../contract/digest.ts";
import { type Conflict, type FolderRecord, type Block, isAway, type DocumentRecord } from "../../model/record.ts";
import type { EventFields, TextName } from "../../ports/state.ts";
import { tombstoneOf } from "../../model/settle.ts";
import { DONE } from "./effect.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import { recordEvent } from "../run/world.ts";

/** Content that is stored in the transaction, if the store does not have it yet. */
export type StoredContent = { readonly digest: Digest; readonly text: string; readonly name: TextName };

export type StateChange = {
  readonly keeps?: StoredContent;
  /**
   * The complete new record of a document. If it was made from a stored record, no `await` came
   * between reading that record and this change.
   */
  readonly record?: DocumentRecord;
  /**
   * The record after an effect on content that waited for an answer. Its path is read again from
   * the state, because a step may have moved the document meanwhile.
   */
  readonly contentRecord?: DocumentRecord;
  /** Base's new version, to remember for the history; undefined if base keeps its version. */
  readonly version?: { readonly id: DocId; readonly changeId: ChangeId; readonly digest: Digest };
  /** Event for the log. Undefined if the change is not worth logging. */
  readonly event?: EventFields;
} & OtherRows;

export type FolderMove = { readonly side: "local" | "remote"; readonly from: string; readonly to: string };

/** Rows that change in the same transaction as a record, or without one. */
type OtherRows = {
  /**
   * Record that ends. `trashPath`: current place of its file in the trash; null: the record has no
   * file.
   */
  readonly ends?: { readonly record: DocumentRecord; readonly trashPath: string | null };
  /**
   * Former id of a document that was deleted and created again with a new id. The record with the
   * former id ends, if it still exists.
   */
  readonly replaces?: DocId | null;
  readonly conflict?: Conflict;
  readonly block?: Block;
  readonly dir?: FolderRecord;
  /** Folders that moved on one side, with everything below them, in this order. */
  readonly moved?: readonly FolderMove[];
  readonly removes?: {
    readonly conflict?: DocId;
    readonly tombstone?: DocId;
    /** Key of a block that ends. */
    readonly blockKey?: string;
    readonly dir?: DirId;
  };
};

export function withCurrentPath(ctx: CycleContext, changed: DocumentRecord): DocumentRecord {
  const current = ctx.world.state.record(changed.id);
  if (current === null) return changed;
  const { localPath, remotePath, state } = current;
  return { ...changed, localPath, remotePath, state, protected: current.protected };
}

/**
 * Returns true if base's change id has changed since an effect began: on some deployments a rename
 * gives a new id. It is then unknown which of the two ids is newer.
 */
export function hasNewChangeId(ctx: CycleContext, record: DocumentRecord): boolean {
  return ctx.world.state.record(record.id)?.changeId !== record.changeId;
}

/** Returns the record with the change id of the stored record, if both have the same content. */
export function withCurrentChangeId(ctx: CycleContext, record: DocumentRecord): DocumentRecord {
  const current = ctx.world.state.record(record.id);
  return current?.digest === record.digest ? { ...record, changeId: current.changeId } : record;
}

/** Commits the result of an effect: moves base and ends the action, in one transaction. */
export function commit(ctx: CycleContext, change: StateChange): OutcomeOf<"done"> {
  ctx.world.state.transact(() => writeChange(ctx, change));
  return DONE;
}

/** Writes a change within the caller's transaction. */
export function writeChange(ctx: CycleContext, change: StateChange): void {
  const { state } = ctx.world;
  const { keeps } = change;
  if (keeps !== undefined) state.putKnownText(keeps.digest, keeps.text, keeps.name);
  if (change.record !== undefined) {
    updateLinkPlace(ctx, change.record);
    state.putRecord(change.record);
  }
  if (change.contentRecord !== undefined) state.putRecord(withCurrentPath(ctx, change.contentRecord));
  if (change.version !== undefined) state.addVersion({ ...change.version, at: ctx.world.clock.now() });
  writeOtherRows(ctx, change);
  if (change.event !== undefined) recordEvent(ctx.world, ctx.run, change.event);
}

/** Updates the document's path for the conversion of links, if links are converted. */
function updateLinkPlace({ world: { state, links } }: CycleContext, record: DocumentRecord): void {
  const places = links?.forms.placesIfKnown() ?? null;
  if (places === null || places.isAt(record.id, record.localPath)) return;
  // A document without a path in `places` is new, so it has no earlier path to compare with.
  const before = places.pathOf(record.id) !== null || isAway(record) ? state.record(record.id) : null;
  // A document that moves only on the service keeps its local path, which base may not know.
  if (before?.localPath !== record.localPath) places.set(record.id, record.localPath);
}

function writeOtherRows(ctx: CycleContext, { ends, replaces, conflict, block, dir, moved, removes }: OtherRows): void {
  const { state } = ctx.world;
  if (ends !== undefined) endRecord(ctx, ends.record, ends.trashPath);
  const replaced = replaces ? state.record(replaces) : null;
  if (replaced !== null) endRecord(ctx, replaced, null);
  if (conflict !== undefined) state.putConflict(conflict);
  if (block !== undefined) state.putBlock(block);
  if (dir !== undefined) {
    state.putDir(dir);
    ctx.world.links?.forms.placesIfKnown()?.set(dir.id, dir.localPath);
  }
  for (const { side, from, to } of moved ?? []) state.moveSubtree(side, from, to);
  if (removes?.conflict !== undefined) state.removeConflict(removes.conflict);
  if (removes?.tombstone !== undefined) state.removeTombstone(removes.tombstone);
  if (removes?.blockKey !== undefined) state.removeBlock(removes.blockKey);
  if (removes?.dir !== undefined) state.removeDir(removes.dir);
}

/**
 * Ends a record, within the caller's transaction: leaves a tombstone, and removes the record and
 * the document's conflict.
 */
function endRecord(ctx: CycleContext, record: DocumentRecord, trashPath: string | null): void {
  const { state, clock } = ctx.world;
  state.putTombstone(tombstoneOf(record, trashPath, clock.now()));
  state.removeConflict(record.id);
  state.removeRecord(record.id);
}
