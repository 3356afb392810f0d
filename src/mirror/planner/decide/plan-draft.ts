import type { Action } from "../../model/action.ts";
import type { BlockReason } from "../../model/block.ts";
import type { Block, ShownVersion } from "../../model/record.ts";
import type { Row, DocumentRow, FolderRow, Place } from "../match/row.ts";
import type { MatchedTrees } from "../match/match.ts";
import { type OthersByInode, othersByInode } from "../match/inode.ts";
import { type LocalPath, parentOf, type RemotePath } from "../../../contract/path.ts";
import { once } from "../../../common/once.ts";
import { type ConflictCopy, copiesOf } from "../../model/conflict-copy-path.ts";
import type { Policy } from "../../model/policy.ts";
import { remotePathsOf } from "../../model/left-out.ts";
import type { TextLookup, Trees } from "../../model/tree.ts";
import { listClaimants, type SlotMap } from "../match/slots.ts";

/**
 * Place of a conflict copy. `recorded`: the place that the state has; null if the state has none.
 */
export type ConflictCopyPlace = Pick<ConflictCopy, "nth"> & {
  readonly recorded: LocalPath | null;
  readonly place: Place;
};

/** The decisions so far, which every rule of a plan reads and extends. */
export type PlanDraft = MatchedTrees & {
  readonly trees: Trees;
  readonly policy: Policy;
  readonly texts: TextLookup;
  readonly proposals: Map<Row, readonly Proposal[]>;
  readonly blocks: Map<string, Block>;
  /** Conflict copies that must be moved to their document. */
  readonly copies: Map<DocumentRow, readonly ConflictCopyPlace[]>;
  /**
   * Copies of all conflicts, by inode. The inode of a removed copy may belong to another copy now.
   */
  readonly copiesByInode: () => ReadonlyMap<string | null, readonly ConflictCopy[]>;
  /** Paths of the service's folders that directly contain a listed document. */
  readonly foldersWithDocuments: () => ReadonlySet<RemotePath>;
  readonly othersByInode: () => OthersByInode;
  /** Rows by their current and planned slots on disk. To be used only after all decisions. */
  readonly claimants: () => SlotMap<readonly Row[]>;
  /**
   * Rows whose local name changes because the service's row keeps the name, with their new names.
   */
  readonly renamedForOthers: Map<Row, string>;
  /**
   * Rows whose place is changed or recorded. Each value is the reason, as a clause that messages
   * show.
   */
  readonly moveReasons: Map<Row, string>;
};

export function openDraft(trees: Trees, policy: Policy, texts: TextLookup, matched: MatchedTrees): PlanDraft {
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
    copiesByInode: once(() => listCopies(draft)),
    foldersWithDocuments: once(() => new Set(remotePathsOf(trees).map((path) => parentOf(path)))),
    othersByInode: once(() => othersByInode(trees.local)),
    claimants: once(() => listClaimants(rowsOf(draft), trees.local.disk)),
  };
  return draft;
}

/** Returns the key of a conflict copy's inode; null if the inode is unknown. */
export function copyInodeKey({ trees }: PlanDraft, file: Pick<ShownVersion, "ino" | "dev"> | null): string | null {
  return file === null || file.ino === 0 || !trees.local.inodesTrusted ? null : `${file.dev}:${file.ino}`;
}

function listCopies(draft: PlanDraft): Map<string | null, ConflictCopy[]> {
  const { base, local } = draft.trees;
  const copies = [...base.conflicts.values()].flatMap((conflict) =>
    copiesOf(conflict, base.records.get(conflict.id)?.localPath ?? "", local.disk.maxNameBytes),
  );
  return Map.groupBy(copies, ({ version }) => copyInodeKey(draft, version));
}

/** Returns the rule that excludes a path, as a clause. */
export function excludedBy({ trees }: PlanDraft, path: LocalPath, kind: "file" | "folder"): string {
  return trees.local.excludedBy?.(path, kind) ?? "the ignore rules";
}

/**
 * Returns true if a document that has no row yet will be created at a local place. Requests another
 * plan, with a row for this document.
 */
export function includeArrivalAt({ arrivals, toInclude }: PlanDraft, place: Place): boolean {
  const id = arrivals.idAt(place);
  if (id !== undefined) toInclude.add(id);
  return id !== undefined;
}

/** Returns the folders' rows, then the documents' rows. */
export function rowsOf({ forest, documents }: Pick<PlanDraft, "forest" | "documents">): Row[] {
  return [...forest.folders, ...documents];
}

/** Paths of a document before and after an action, at the moment of the action. */
export type ActionPaths = {
  readonly local: LocalPath;
  readonly remote: RemotePath;
};

/**
 * An action whose paths are known only when the step is laid out. `role` says what the action needs
 * and changes.
 * - `before`: the first action of its row. `arrive-*`, `leave-*`: creates or removes the row on
 * that side.
 * - `content`: reads and writes the content at the path that the file then has. `record`: records
 * the row's places after they are reached.
 * - `note`: changes only base, and needs no path.
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

export function propose(draft: PlanDraft, row: Row, role: Proposal["role"], make: Proposal["make"]): void {
  draft.proposals.set(row, [...(draft.proposals.get(row) ?? []), { role, make }]);
}

type RecordedFolder = Pick<Extract<Action, { kind: "link-folder" }>, "dirId" | "carries"> & { readonly why: string };

/** Proposes to record that both sides have a folder, at the path that it then has. */
export function proposeFolderRecord(draft: PlanDraft, folder: FolderRow, recorded: RecordedFolder): void {
  propose(draft, folder, "record", (paths) => ({
    kind: "link-folder",
    ...recorded,
    localPath: paths.local,
    remotePath: paths.remote,
  }));
}

export function withdraw(draft: PlanDraft, row: Row, role: Proposal["role"]): void {
  const remaining = draft.proposals.get(row)?.filter((proposal) => proposal.role !== role);
  if (remaining !== undefined) draft.proposals.set(row, remaining);
}

export type ContentOfBlock = Partial<Pick<Block, "code" | "digest" | "changeId">>;

/**
 * Blocks a document or folder. Each row has at most one block: a remembered block takes precedence
 * over a computed one, otherwise the first stays. `since` is taken from the state; 0 means "now",
 * which only the engine knows.
 */
export function blockRow(
  draft: PlanDraft,
  row: Row,
  reason: BlockReason,
  detail: string,
  facts: ContentOfBlock = {},
): void {
  const key = keyOf(row);
  if (draft.blocks.has(key)) return;
  const before = draft.trees.base.blocks.get(key);
  const since = before?.reason === reason ? before.since : 0;
  const block = {
    key,
    path: pathOfRow(row),
    reason,
    code: null,
    detail,
    requestId: null,
    digest: null,
    changeId: null,
  };
  draft.blocks.set(key, { ...block, since, ...facts });
}

/** Adds a block from an earlier cycle to the plan unchanged. */
export function keepBlock(draft: PlanDraft, remembered: Block): void {
  draft.blocks.set(remembered.key, remembered);
}

export function keyOf(row: Row): string {
  return (row.kind === "document" ? row.id : row.dirId) ?? pathOfRow(row);
}

/** Returns the local path of a row; if it has none, the path in base, or the one on the service. */
export function pathOfRow(row: Row): LocalPath {
  if (row.kind === "folder") return row.localPath ?? row.record?.localPath ?? row.remotePath ?? "";
  if (row.local.seen.kind === "present") return row.local.seen.value.path;
  if (row.record !== null) return row.record.localPath;
  return row.remote.seen.kind === "present" ? row.remote.seen.file.path : "";
}
