/** Writes base, and every row that changes with base, in one transaction. */

import type { ChangeId, DirId, DocId } from "../../../contract/ids.ts";
import type { OutcomeOf } from "../../model/action.ts";
import type { Digest } from "../../../contract/digest.ts";
import { type Conflict, type FolderRecord, type Block, isAway, type DocumentRecord } from "../../model/record.ts";
import type { EventFields, ContentOrigin } from "../../ports/state.ts";
import { makeTombstone } from "../../model/base.ts";
import { DONE } from "./effect.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import { recordEvent } from "../run/world.ts";

/** Content to store in the transaction. Content that is already in the content store is skipped. */
export type StoredContent = { readonly digest: Digest; readonly text: string; readonly origin: ContentOrigin };

export type StateChange = {
  readonly keeps?: StoredContent;
  /**
   * The whole new record. A caller must not `await` between reading the old record and `commit`,
   * because another step may change the record meanwhile.
   */
  readonly record?: DocumentRecord;
  /**
   * New record of a document after a request that changed the document's content. `commit` takes
   * paths, state and protection from the state file instead, because another step may have moved
   * the document during the request.
   */
  readonly contentRecord?: DocumentRecord;
  /** New base version to add to the history; undefined if base keeps its version. */
  readonly version?: { readonly id: DocId; readonly changeId: ChangeId; readonly digest: Digest };
  readonly event?: EventFields;
} & OtherRows;

export type FolderMove = { readonly side: "local" | "remote"; readonly from: string; readonly to: string };

type OtherRows = {
  /** Record that becomes a tombstone. `trashPath` is null if the document has no file. */
  readonly ends?: { readonly record: DocumentRecord; readonly trashPath: string | null };
  /**
   * Former id of a document that was created again. The record with this id becomes a tombstone.
   */
  readonly replaces?: DocId | null;
  readonly conflict?: Conflict;
  readonly block?: Block;
  readonly dir?: FolderRecord;
  /** Folders that moved on one side with everything below, in the order of the moves. */
  readonly moved?: readonly FolderMove[];
  readonly removes?: {
    readonly conflict?: DocId;
    readonly tombstone?: DocId;
    readonly blockKey?: string;
    readonly dir?: DirId;
  };
};

export function withCurrentPath(ctx: CycleContext, changed: DocumentRecord): DocumentRecord {
  const currentRecord = ctx.world.state.record(changed.id);
  if (currentRecord === null) return changed;
  const { localPath, remotePath, state } = currentRecord;
  return { ...changed, localPath, remotePath, state, protected: currentRecord.protected };
}

/**
 * Returns true if the stored record has another change id than `record`, which was read when the
 * effect began. The difference does not show which id is newer: some services assign a new change
 * id when a document is renamed.
 */
export function hasNewChangeId(ctx: CycleContext, record: DocumentRecord): boolean {
  return ctx.world.state.record(record.id)?.changeId !== record.changeId;
}

/**
 * Returns `record` with the change id of the stored record. Returns `record` unchanged if the
 * contents of the two records differ.
 */
export function withCurrentChangeId(ctx: CycleContext, record: DocumentRecord): DocumentRecord {
  const currentRecord = ctx.world.state.record(record.id);
  return currentRecord?.digest === record.digest ? { ...record, changeId: currentRecord.changeId } : record;
}

export function commit(ctx: CycleContext, change: StateChange): OutcomeOf<"done"> {
  ctx.world.state.transact(() => writeChange(ctx, change));
  return DONE;
}

export function writeChange(ctx: CycleContext, change: StateChange): void {
  const { state } = ctx.world;
  const { keeps } = change;
  if (keeps !== undefined) state.putKnownText(keeps.digest, keeps.text, keeps.origin);
  if (change.record !== undefined) {
    updateLinkPlace(ctx, change.record);
    state.putRecord(change.record);
  }
  if (change.contentRecord !== undefined) state.putRecord(withCurrentPath(ctx, change.contentRecord));
  if (change.version !== undefined) state.addVersion({ ...change.version, at: ctx.world.clock.now() });
  writeOtherRows(ctx, change);
  if (change.event !== undefined) recordEvent(ctx.world, ctx.run, change.event);
}

function updateLinkPlace({ world: { state, links } }: CycleContext, record: DocumentRecord): void {
  const linkPlaces = links?.forms.placesIfKnown() ?? null;
  if (linkPlaces === null || linkPlaces.isAt(record.id, record.localPath)) return;
  // Only a document with a path in `linkPlaces`, or one outside the linked folder, has an earlier
  // record.
  const earlierRecord = linkPlaces.pathOf(record.id) !== null || isAway(record) ? state.record(record.id) : null;
  // If a document moved only on the service, its record may lack the current local path. Therefore
  // `linkPlaces` gets the recorded path only if that path has changed.
  if (earlierRecord?.localPath !== record.localPath) linkPlaces.set(record.id, record.localPath);
}

function writeOtherRows(ctx: CycleContext, { ends, replaces, conflict, block, dir, moved, removes }: OtherRows): void {
  const { state } = ctx.world;
  if (ends !== undefined) replaceByTombstone(ctx, ends.record, ends.trashPath);
  const replacedRecord = replaces ? state.record(replaces) : null;
  if (replacedRecord !== null) replaceByTombstone(ctx, replacedRecord, null);
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

/** Makes a record a tombstone and removes its conflict, within the caller's transaction. */
function replaceByTombstone(ctx: CycleContext, record: DocumentRecord, trashPath: string | null): void {
  const { state, clock } = ctx.world;
  state.putTombstone(makeTombstone(record, trashPath, clock.now()));
  state.removeConflict(record.id);
  state.removeRecord(record.id);
}
