import type { ReviewReason } from "../../contract/resources.ts";
import type { KeySet } from "../../markdown/search/keys.ts";
import type { FoundDocument, AgeOrder, DocumentPage } from "../../markdown/search/source.ts";
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

/** Tables as one transaction sees them; unusable after its end. */
export type Tables = {
  readonly files: Files;
  readonly folders: Folders;
  readonly changes: Changes;
  readonly workspaces: Workspaces;
  readonly keys: Keys;
  readonly grants: Grants;
  readonly settings: SettingsTable;
  readonly search: Search;
  /** Table of changes for listeners. Left out if nobody can listen to changes of this store. */
  readonly outbox?: OutboxTable;
  /** Returns the key with that hash and its access, as `Store.holder` does. */
  holder(hash: Buffer): Promise<Holder | undefined>;
  /**
   * Locks the structure of a workspace until the end of the transaction. Until then, other
   * transactions cannot create, move, rename or remove folders, move files, or set grants.
   */
  lockStructure(workspace: number): Promise<void>;
  /**
   * Prevents other transactions from putting anything into the folder at `path`, or below, until
   * the end of the transaction.
   */
  lockTree(workspace: number, path: string): Promise<void>;
  /** Runs work in a savepoint of this write, which can be rolled back alone. */
  nested<T>(work: (tables: Tables) => Promise<T>, keep?: (result: T) => boolean): Promise<T>;
};

/** At most `count` rows of a workspace after the row number `after`, in order. */
export type Page = { readonly workspace: number; readonly after: number; readonly count: number };

/** At most `count` names of a folder after the name `after`, in the order of bytes. */
type NamePage = {
  readonly workspace: number;
  readonly folder: number;
  readonly after: string;
  readonly count: number;
};

type NewFile = {
  readonly workspace: number;
  readonly id: string;
  readonly folder: number;
  readonly name: string;
  readonly changeId: string;
  readonly text: string;
  readonly at: number;
};

/**
 * A file, its published content, and one of its changes as the base of a write. `text`: null if the
 * content was pruned.
 */
export type FileForEdit = {
  readonly row: FileRow;
  readonly live: string;
  readonly base: { readonly text: string | null } | null;
};

export type Files = {
  byId(workspace: number, id: string): Promise<FileRow | undefined>;
  /**
   * Returns a file with its published content.
   * @param shown returns the JSON of the row, which may be remembered with the row
   */
  withText(workspace: number, id: string, shown: (row: FileRow) => string): Promise<ShownText | undefined>;
  /**
   * Returns a file for an edit.
   * @param baseId a change in any state; `base` is null if that change is not of this file
   */
  forEdit(workspace: number, id: string, baseId: string): Promise<FileForEdit | undefined>;
  bySeqs(seqs: readonly number[]): Promise<FileRow[]>;
  byName(workspace: number, folder: number, name: string): Promise<FileRow | undefined>;
  byPath(workspace: number, path: string): Promise<FileRow | undefined>;
  all(page: Page): Promise<FileRow[]>;
  /**
   * Returns rows as `all` does, in the form of JSON that is remembered with each row. Left out if
   * the store remembers nothing.
   */
  allShown?(page: Page, shown: (row: FileRow) => string): Promise<ShownPage>;
  inFolder(page: Page & { readonly folder: number }): Promise<FileRow[]>;
  inFolderByName(page: NamePage): Promise<FileRow[]>;
  /** Returns files in the folder at `path` and below. */
  inTree(page: Page & { readonly path: string }): Promise<FileRow[]>;
  /** Returns protected files in the folder at `path` and below. */
  protectedInTree(workspace: number, path: string): Promise<FileRow[]>;
  /**
   * Creates a file with its first change.
   * @returns its row number
   */
  insert(file: NewFile): Promise<number>;
  place(seq: number, folder: number, name: string): Promise<void>;
  protect(seq: number, value: boolean): Promise<void>;
  /** Publishes content as a new change, whose base is the change that was published before. */
  save(row: FileRow, change: { readonly id: string; readonly text: string; readonly at: number }): Promise<void>;
  /** Removes a file, its changes, and the grants on it. */
  remove(seq: number): Promise<void>;
};

export type Folders = {
  byId(workspace: number, id: string): Promise<FolderRow | undefined>;
  byPath(workspace: number, path: string): Promise<FolderRow | undefined>;
  /**
   * Follows names from the root.
   * @returns the folders that exist, up to the first that does not
   */
  along(workspace: number, names: readonly string[]): Promise<FolderRow[]>;
  /**
   * Returns the parents of these folders and of all folders above; a removed folder has no entry.
   */
  ancestors(seqs: readonly number[]): Promise<ReadonlyMap<number, number>>;
  all(page: Page): Promise<FolderRow[]>;
  inParent(page: Page & { readonly parent: number }): Promise<FolderRow[]>;
  inParentByName(page: NamePage): Promise<FolderRow[]>;
  /** Returns every folder below a path, without the folder itself. */
  below(page: Page & { readonly path: string }): Promise<FolderRow[]>;
  isEmpty(workspace: number, seq: number): Promise<boolean>;
  /**
   * Returns the longest path below, in characters, and the most slashes of a path; null if the
   * folder is empty.
   */
  extentBelow(workspace: number, path: string): Promise<{ readonly longest: string; readonly slashes: number } | null>;
  /**
   * Creates a folder.
   * @returns its row number
   */
  insert(folder: Omit<FolderRow, "seq" | "parentId"> & { readonly workspace: number }): Promise<number>;
  /** Renames or moves a folder, with the paths of the folders below. */
  place(workspace: number, row: FolderRow, to: Pick<FolderRow, "parent" | "name" | "path">): Promise<void>;
  /**
   * Removes a folder and everything below: folders, files, their changes, and the grants on them.
   */
  removeTree(workspace: number, row: FolderRow): Promise<void>;
};

type ReviewedQuery = {
  /** Workspace whose reviews are listed; null for all workspaces. */
  readonly workspace: number | null;
  readonly status: Exclude<ChangeStatus, "saved">;
  /** Row number of the last known change. */
  readonly after: number;
  readonly most: number;
};

export type Changes = {
  /**
   * Returns the text of a change.
   * @throws if the change does not exist, or was pruned
   */
  text(id: string): Promise<string>;
  /** Returns a change of that file, in any state; its text is null if it was pruned. */
  base(id: string, file: number): Promise<{ readonly text: string | null } | null>;
  /** Returns a change that is or was in review, of any workspace. */
  review(id: string): Promise<Reviewed | undefined>;
  hasReview(file: number): Promise<boolean>;
  treeHasReview(workspace: number, path: string): Promise<boolean>;
  /** Returns changes in the order in which they went to review. */
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
   * Prunes contents beyond the limits, among the next `most` changes. Published contents and bases
   * of changes in review stay. All rows stay, so each change is still known as the base of a write.
   * @param after number of the last change of the previous call
   * @returns that number now, or null at the end
   */
  prune(after: number, most: number, limits: PruneLimits): Promise<number | null>;
};

type PruneLimits = {
  /**
   * Time in milliseconds since the epoch: versions that were replaced earlier are pruned; null for
   * no limit.
   */
  readonly before: number | null;
  /** Number of versions of a document that stay, including the live one; null for all. */
  readonly keep: number | null;
};

export type Workspaces = {
  /** Returns all workspaces, in the order of creation. */
  all(): Promise<WorkspaceRow[]>;
  counted(id?: string): Promise<CountedWorkspace[]>;
  byId(id: string): Promise<WorkspaceRow | undefined>;
  insert(id: string, name: string): Promise<void>;
  setState(id: string, state: WorkspaceState, retryAfter: number): Promise<void>;
  /** Removes a workspace and its contents, except its keys. */
  remove(seq: number): Promise<void>;
};

export type Keys = {
  byId(id: string): Promise<KeyRow | undefined>;
  /**
   * Returns keys in the order of creation.
   * @param workspaceId null for all workspaces
   */
  page(workspaceId: string | null, from: number, most: number): Promise<KeyRow[]>;
  /**
   * Creates a key.
   * @returns its row number
   */
  insert(key: NewKey): Promise<number>;
  change(key: number, members: KeyMembers): Promise<void>;
  /**
   * Saves the last use of keys, unless a later use is saved.
   * @param uses times by row number
   */
  saveUses(uses: ReadonlyMap<number, number>): Promise<void>;
  /** Removes a key with its grants, including those kept for paths. */
  remove(seq: number): Promise<void>;
};

/** Grants by key and by place, and those kept for paths where nothing exists. */
export type Grants = {
  /**
   * Returns grants of each key: the root's first, then those on folders, then on files, each by row
   * number.
   */
  of(keys: readonly number[]): Promise<GrantOfKey[]>;
  /**
   * Returns grants as `of` does, then the kept ones by path; without those on removed files and
   * folders.
   */
  shown(keys: readonly number[]): Promise<ShownGrant[]>;
  /** Replaces the grants of a key, and removes those kept for it. */
  replace(key: number, rows: readonly GrantRow[]): Promise<void>;
  /** Sets a grant in place of any other grant of the key on the same target. */
  set(grant: GrantOfKey): Promise<void>;
  onFile(file: number): Promise<PlacedGrant[]>;
  /** Returns grants on the folder at `path`, and on everything below it. */
  within(workspace: number, path: string): Promise<PlacedGrant[]>;
  /**
   * Returns all grants of keys that have a grant below the root; other keys have the same access
   * everywhere.
   */
  local(workspaceId: string): Promise<GrantOfKey[]>;
  /** Returns grants kept for `path` and for paths below it, by path. */
  keptWithin(workspace: number, path: string): Promise<KeptGrant[]>;
  keep(grant: KeptGrant): Promise<void>;
  dropKept(grant: KeptGrant): Promise<void>;
};

export type SettingsTable = {
  get(): Promise<Settings>;
  change(changed: Partial<Settings>): Promise<Settings>;
};

/** Files of a workspace that a key may read, below the folder `prefix`; null for anywhere. */
export type SearchScope = {
  readonly workspace: number;
  readonly prefix: string | null;
  /** Grants of the key; the nearest one above a file decides (see `Access`). */
  readonly grants: readonly GrantRow[];
};

/** A document that a search may find, with its live text. */
export type FoundFile = FoundDocument & { readonly file: FileRow };

/** Reads of a search in one workspace, in short calls; `src/markdown/search/` does the search. */
export type Search = {
  /** Returns written files that are not indexed yet, the newest write first; at most a limit. */
  waiting(workspace: number): Promise<readonly number[]>;
  /**
   * Returns a portion of candidates (see `Source.portion`). Some may be files that the key may not
   * read.
   */
  portion(scope: SearchScope, set: KeySet, order: AgeOrder, after: number | null): Promise<DocumentPage>;
  /** Returns those of the documents that are in the scope now, in the same order. */
  read(scope: SearchScope, documents: readonly number[]): Promise<readonly FoundFile[]>;
};
