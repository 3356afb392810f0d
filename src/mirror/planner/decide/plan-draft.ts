import type { Action } from "../../model/action.ts";
import type { BlockReason } from "../../model/block.ts";
import type { Block, ShownVersion } from "../../model/record.ts";
import {
  type DocumentRow,
  type FolderRow,
  indexRowsBySlot,
  type Place,
  type PlanRow,
  type SlotMap,
} from "../match/row.ts";
import type { MatchedTrees } from "../match/match.ts";
import { indexUnsyncedByInode, type UnsyncedByInode } from "../match/evidence.ts";
import { type LocalPath, parentOf, type RemotePath } from "../../../contract/path.ts";
import { once } from "../../../common/once.ts";
import { type ConflictCopy, listConflictCopies } from "../../model/names.ts";
import type { Policy } from "../../model/policy.ts";
import { generateRemotePaths } from "../../model/left-out.ts";
import type { TextLookup, Trees } from "../../model/tree.ts";

/**
 * Place of a conflict copy. `recorded`: the copy's path in the state; null for older copies,
 * because the state has only the path of the newest copy.
 */
export type ConflictCopyPlace = Pick<ConflictCopy, "nth"> & {
  readonly recorded: LocalPath | null;
  readonly place: Place;
};

/** A plan in progress: the matched trees, and the decisions so far. */
export type PlanDraft = MatchedTrees & {
  readonly trees: Trees;
  readonly policy: Policy;
  readonly texts: TextLookup;
  readonly proposals: Map<PlanRow, readonly Proposal[]>;
  readonly blocks: Map<string, Block>;
  readonly copies: Map<DocumentRow, readonly ConflictCopyPlace[]>;
  /**
   * Conflict copies by inode. Several copies may have one inode, because a disk may give the inode
   * of a removed copy to a new copy.
   */
  readonly copiesByInode: () => ReadonlyMap<string | null, readonly ConflictCopy[]>;
  readonly foldersWithDocuments: () => ReadonlySet<RemotePath>;
  readonly othersByInode: () => UnsyncedByInode;
  /**
   * Documents and folders by each local place that they have now or after the plan. Valid only
   * after all places are decided.
   */
  readonly claimants: () => SlotMap<readonly PlanRow[]>;
  readonly renamedForOthers: Map<PlanRow, string>;
  /** Reason of each move and of each change of a record, as a clause. */
  readonly moveReasons: Map<PlanRow, string>;
};

export function makePlanDraft(trees: Trees, policy: Policy, texts: TextLookup, matched: MatchedTrees): PlanDraft {
  const draft: PlanDraft = {
    ...matched,
    trees,
    policy,
    texts,
    proposals: new Map(),
    blocks: new Map(),
    moveReasons: new Map(),
    renamedForOthers: new Map(),
    copies: new Map(),
    copiesByInode: once(() => indexCopiesByInode(draft)),
    foldersWithDocuments: once(() => new Set(generateRemotePaths(trees).map((path) => parentOf(path)))),
    othersByInode: once(() => indexUnsyncedByInode(trees.local)),
    claimants: once(() => indexRowsBySlot(listRows(draft), trees.local.disk)),
  };
  return draft;
}

/**
 * Returns the key of a conflict copy's inode. Null for an unknown inode, or if inodes are no
 * evidence because the linked folder was copied to another disk.
 */
export function toCopyInodeKey({ trees }: PlanDraft, file: Pick<ShownVersion, "ino" | "dev"> | null): string | null {
  return file === null || file.ino === 0 || !trees.local.inodesTrusted ? null : `${file.dev}:${file.ino}`;
}

function indexCopiesByInode(draft: PlanDraft): Map<string | null, ConflictCopy[]> {
  const { base, local } = draft.trees;
  const conflictCopies = [...base.conflicts.values()].flatMap((conflict) =>
    listConflictCopies(conflict, base.records.get(conflict.id)?.localPath ?? "", local.disk.maxNameBytes),
  );
  return Map.groupBy(conflictCopies, ({ version }) => toCopyInodeKey(draft, version));
}

export function describeExclusion({ trees }: PlanDraft, path: LocalPath, kind: "file" | "folder"): string {
  return trees.local.excludedBy?.(path, kind) ?? "the ignore rules";
}

/**
 * Returns true if this plan only creates a document of the service at this local place. The next
 * round of planning then decides about the document.
 */
export function includeArrivalAt({ arrivals, toInclude }: PlanDraft, place: Place): boolean {
  const id = arrivals.idAt(place);
  if (id !== undefined) toInclude.add(id);
  return id !== undefined;
}

export function listRows({ forest, documents }: Pick<PlanDraft, "forest" | "documents">): PlanRow[] {
  return [...forest.folders, ...documents];
}

export type ActionPaths = {
  readonly local: LocalPath;
  readonly remote: RemotePath;
};

/**
 * An action that the planner has decided on, without its paths: these are known only when the steps
 * are ordered. `role` says when the action runs, and what the action does:
 * - `before`: comes before all other actions on its document or folder
 * - `arrive-local`, `arrive-remote`: creates the document or folder on a side
 * - `leave-local`, `leave-remote`: removes the document or folder from a side
 * - `content`: reads and writes the content of the file
 * - `record`: records the places on both sides in base, at the end
 * - `note`: changes only base, and does not use the paths
 */
export type Proposal = {
  readonly role:
    | "before"
    | "arrive-local"
    | "arrive-remote"
    | "leave-local"
    | "leave-remote"
    | "content"
    | "record"
    | "note";
  readonly make: (paths: ActionPaths) => Action;
};

export function proposeAction(draft: PlanDraft, row: PlanRow, role: Proposal["role"], make: Proposal["make"]): void {
  draft.proposals.set(row, [...(draft.proposals.get(row) ?? []), { role, make }]);
}

type FolderToRecord = Pick<Extract<Action, { kind: "link-folder" }>, "dirId" | "carries"> & { readonly why: string };

export function proposeFolderRecord(draft: PlanDraft, folder: FolderRow, recorded: FolderToRecord): void {
  proposeAction(draft, folder, "record", (paths) => ({
    kind: "link-folder",
    ...recorded,
    localPath: paths.local,
    remotePath: paths.remote,
  }));
}

export function withdrawProposals(draft: PlanDraft, row: PlanRow, role: Proposal["role"]): void {
  const remainingProposals = draft.proposals.get(row)?.filter((proposal) => proposal.role !== role);
  if (remainingProposals !== undefined) draft.proposals.set(row, remainingProposals);
}

export type BlockedContent = Partial<Pick<Block, "code" | "digest" | "changeId">>;

/**
 * Blocks a document or folder that has no block yet. `since` is the time of the stored block if
 * both have the same reason. Otherwise `since` is 0, which the engine replaces by the current time.
 */
export function blockRow(
  draft: PlanDraft,
  row: PlanRow,
  reason: BlockReason,
  detail: string,
  facts: BlockedContent = {},
): void {
  const key = toBlockKey(row);
  if (draft.blocks.has(key)) return;
  const earlierBlock = draft.trees.base.blocks.get(key);
  const blockedSince = earlierBlock?.reason === reason ? earlierBlock.since : 0;
  const block = {
    key,
    path: findPathOfRow(row),
    reason,
    code: null,
    detail,
    requestId: null,
    digest: null,
    changeId: null,
  };
  draft.blocks.set(key, { ...block, since: blockedSince, ...facts });
}

/** Keeps the stored block of an earlier cycle, and drops any other block that this plan found. */
export function keepBlock(draft: PlanDraft, remembered: Block): void {
  draft.blocks.set(remembered.key, remembered);
}

export function toBlockKey(row: PlanRow): string {
  return (row.kind === "document" ? row.id : row.dirId) ?? findPathOfRow(row);
}

/**
 * Returns the local path; without a local path, that in base; otherwise the path on the service.
 */
export function findPathOfRow(row: PlanRow): LocalPath {
  if (row.kind === "folder") return row.localPath ?? row.record?.localPath ?? row.remotePath ?? "";
  if (row.local.seen.kind === "present") return row.local.seen.value.path;
  if (row.record !== null) return row.record.localPath;
  return row.remote.seen.kind === "present" ? row.remote.seen.file.path : "";
}
