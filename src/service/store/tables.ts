import type { ReviewReason } from "../../contract/resources.ts";
import type { KeySet } from "../../markdown/search/keys.ts";
import type { Found, Order, Portion } from "../../markdown/search/source.ts";
import type { OutboxTable } from "../events/outbox.ts";
import type {
  ChangeStatus,
  CountedWorkspace,
  FileRow,
  FolderRow,
  GrantOfKey,
  GrantRow,
  Holder,
  KeptGrant,
  KeyMembers,
  KeyRow,
  NewKey,
  PlacedGrant,
  Reviewed,
  Settings,
  ShownGrant,
  ShownPage,
  ShownText,
  WorkspaceRow,
  WorkspaceState,
} from "./rows.ts";

/** The tables as one transaction sees them; of no use after its end. */
export type Tables = {
  readonly files: Files;
  readonly folders: Folders;
  readonly changes: Changes;
  readonly workspaces: Workspaces;
  readonly keys: Keys;
  readonly grants: Grants;
  readonly settings: SettingsTable;
  readonly search: Search;
  /** Where the store has none, nobody can listen. */
  readonly outbox?: OutboxTable;
  /** As `Store.holder`. */
  holder(hash: Buffer): Promise<Holder | undefined>;
  /**
   * Structural changes of one workspace exclude each other from here on: making, moving, renaming
   * and removing folders, moving files, setting grants.
   */
  lockStructure(workspace: number): Promise<void>;
  /** Nothing is put into the folder at `path`, or below, by others until the end. */
  lockTree(workspace: number, path: string): Promise<void>;
  /** A transaction within this write: a savepoint, to which it goes back alone. */
  nested<T>(work: (tables: Tables) => Promise<T>, keep?: (result: T) => boolean): Promise<T>;
};

/** At most `count` rows of a workspace, those after the row number `after`, in their order. */
export type Page = { readonly workspace: number; readonly after: number; readonly count: number };

/** At most `count` of a folder, by name in the order of bytes, after the name `after`. */
export type NamePage = {
  readonly workspace: number;
  readonly folder: number;
  readonly after: string;
  readonly count: number;
};

export type NewFile = {
  readonly workspace: number;
  readonly id: string;
  readonly folder: number;
  readonly name: string;
  readonly changeId: string;
  readonly text: string;
  readonly at: number;
};

/** A file, its live text, and a change of it as the base of a write; `text` null: it was pruned. */
export type FileForEdit = {
  readonly row: FileRow;
  readonly live: string;
  readonly base: { readonly text: string | null } | null;
};

export type Files = {
  byId(workspace: number, id: string): Promise<FileRow | undefined>;
  /** @param shown the row as it stands in an answer, which may be remembered with it */
  withText(workspace: number, id: string, shown: (row: FileRow) => string): Promise<ShownText | undefined>;
  /** @param baseId a change of any state; `base` is null if it is none of this file */
  forEdit(workspace: number, id: string, baseId: string): Promise<FileForEdit | undefined>;
  bySeqs(seqs: readonly number[]): Promise<FileRow[]>;
  byName(workspace: number, folder: number, name: string): Promise<FileRow | undefined>;
  byPath(workspace: number, path: string): Promise<FileRow | undefined>;
  all(page: Page): Promise<FileRow[]>;
  /** As `all`, in a form that is remembered with the row. Left out: the store remembers nothing. */
  allShown?(page: Page, shown: (row: FileRow) => string): Promise<ShownPage>;
  inFolder(page: Page & { readonly folder: number }): Promise<FileRow[]>;
  inFolderByName(page: NamePage): Promise<FileRow[]>;
  /** In the folder at `path` and below. */
  inTree(page: Page & { readonly path: string }): Promise<FileRow[]>;
  /** The protected ones in the folder at `path` and below. */
  protectedInTree(workspace: number, path: string): Promise<FileRow[]>;
  /** Makes a file with its first change. @returns its row number */
  insert(file: NewFile): Promise<number>;
  place(seq: number, folder: number, name: string): Promise<void>;
  protect(seq: number, value: boolean): Promise<void>;
  /** Makes a text live as a new change, whose base is the one that was live. */
  save(row: FileRow, change: { readonly id: string; readonly text: string; readonly at: number }): Promise<void>;
  /** Removes a file, its changes, and the grants on it. */
  remove(seq: number): Promise<void>;
};

export type Folders = {
  byId(workspace: number, id: string): Promise<FolderRow | undefined>;
  byPath(workspace: number, path: string): Promise<FolderRow | undefined>;
  /** Follows names from the root. @returns the folders that exist, up to the first that does not */
  along(workspace: number, names: readonly string[]): Promise<FolderRow[]>;
  /** The parent of each of these folders and of each above them; no entry for one that is gone. */
  ancestors(seqs: readonly number[]): Promise<ReadonlyMap<number, number>>;
  all(page: Page): Promise<FolderRow[]>;
  inParent(page: Page & { readonly parent: number }): Promise<FolderRow[]>;
  inParentByName(page: NamePage): Promise<FolderRow[]>;
  /** Every folder below a path, not itself. */
  below(page: Page & { readonly path: string }): Promise<FolderRow[]>;
  isEmpty(workspace: number, seq: number): Promise<boolean>;
  /** The longest path below, in characters, and the most slashes in one; null: nothing is there. */
  extentBelow(workspace: number, path: string): Promise<{ readonly longest: string; readonly slashes: number } | null>;
  /** @returns its row number */
  insert(folder: Omit<FolderRow, "seq" | "parentId"> & { readonly workspace: number }): Promise<number>;
  /** Renames or moves a folder, with the paths of the folders below. */
  place(workspace: number, row: FolderRow, to: Pick<FolderRow, "parent" | "name" | "path">): Promise<void>;
  /** Removes a folder and all below it: folders, files, their changes, and the grants on them. */
  removeTree(workspace: number, row: FolderRow): Promise<void>;
};

export type ReviewedQuery = {
  /** null: of all. */
  readonly workspace: number | null;
  readonly status: Exclude<ChangeStatus, "saved">;
  /** The row number of the last change that is known. */
  readonly after: number;
  readonly most: number;
};

export type Changes = {
  /** @throws when the change does not exist, or was pruned */
  text(id: string): Promise<string>;
  /** A change of that file, in any state; its text is null if it was pruned. */
  base(id: string, file: number): Promise<{ readonly text: string | null } | null>;
  /** A change that is or was in review, of any workspace. */
  review(id: string): Promise<Reviewed | undefined>;
  hasReview(file: number): Promise<boolean>;
  treeHasReview(workspace: number, path: string): Promise<boolean>;
  /** In the order in which they came. */
  reviewed(query: ReviewedQuery): Promise<Reviewed[]>;
  /** Sends an edit to review. */
  submit(change: {
    readonly id: string;
    readonly file: number;
    readonly baseId: string;
    readonly reason: ReviewReason;
    readonly text: string;
    readonly at: number;
  }): Promise<void>;
  decide(seq: number, status: "accepted" | "rejected"): Promise<void>;
  /**
   * Prunes the texts that are beyond the limits, among the next `most` changes. Live ones and bases
   * of what is in review stay, and so do all rows: they are still known as the base of a write.
   * @param after the number of the last change that was looked at
   * @returns that number now, or null at the end
   */
  prune(after: number, most: number, limits: PruneLimits): Promise<number | null>;
};

export type PruneLimits = {
  /** Milliseconds since the epoch: what was replaced before is pruned; null: however long ago. */
  readonly before: number | null;
  /** So many versions of a document stay, the live one among them; null: all. */
  readonly keep: number | null;
};

export type Workspaces = {
  /** In the order of creation. */
  all(): Promise<WorkspaceRow[]>;
  counted(id?: string): Promise<CountedWorkspace[]>;
  byId(id: string): Promise<WorkspaceRow | undefined>;
  insert(id: string, name: string): Promise<void>;
  setState(id: string, state: WorkspaceState, retryAfter: number): Promise<void>;
  /** Removes it and all that it holds, but for its keys. */
  remove(seq: number): Promise<void>;
};

export type Keys = {
  byId(id: string): Promise<KeyRow | undefined>;
  /** In the order of creation. @param workspaceId null: of all */
  page(workspaceId: string | null, from: number, most: number): Promise<KeyRow[]>;
  /** @returns its row number */
  insert(key: NewKey): Promise<number>;
  change(key: number, members: KeyMembers): Promise<void>;
  /** Notes when each was last used, unless something later is noted. @param uses by row number */
  saveUses(uses: ReadonlyMap<number, number>): Promise<void>;
  /** Removes a key, its grants, and those kept for it. */
  remove(seq: number): Promise<void>;
};

/** Grants by key and by place, and those kept for paths where nothing is. */
export type Grants = {
  /** Of each key the root's first, then those on folders, then on files, each by row number. */
  of(keys: readonly number[]): Promise<GrantOfKey[]>;
  /** As `of`, then the kept ones by path; without those on what is gone. */
  shown(keys: readonly number[]): Promise<ShownGrant[]>;
  /** Replaces the grants of a key, and drops those kept for it. */
  replace(key: number, rows: readonly GrantRow[]): Promise<void>;
  /** Sets one, in place of any other of the key on the same target. */
  set(grant: GrantOfKey): Promise<void>;
  onFile(file: number): Promise<PlacedGrant[]>;
  /** On the folder at `path`, and on everything below it. */
  within(workspace: number, path: string): Promise<PlacedGrant[]>;
  /** All grants of keys that have one below the root; others have the same access everywhere. */
  local(workspaceId: string): Promise<GrantOfKey[]>;
  /** Kept for `path` and for what is below it, by path. */
  keptWithin(workspace: number, path: string): Promise<KeptGrant[]>;
  keep(grant: KeptGrant): Promise<void>;
  dropKept(grant: KeptGrant): Promise<void>;
};

export type SettingsTable = {
  get(): Promise<Settings>;
  change(changed: Partial<Settings>): Promise<Settings>;
};

/** The files of a workspace that a key may read, below the folder `prefix`; null: anywhere. */
export type SearchScope = {
  readonly workspace: number;
  readonly prefix: string | null;
  /** The nearest one above a file decides (`Levels` judges it). */
  readonly grants: readonly GrantRow[];
};

/** A document that a search may find, with its live text. */
export type FoundFile = Found & { readonly file: FileRow };

/** Reads of a search in one workspace, in short calls; `src/markdown/search/` searches. */
export type Search = {
  /** Files that were written and are not indexed yet, the newest write first; of many some. */
  waiting(workspace: number): Promise<readonly number[]>;
  /** See `Source.portion`. Some of them may be files that the key may not read. */
  portion(scope: SearchScope, set: KeySet, order: Order, after: number | null): Promise<Portion>;
  /** Of some files those that are in the scope now, in their order. */
  read(scope: SearchScope, documents: readonly number[]): Promise<readonly FoundFile[]>;
};
