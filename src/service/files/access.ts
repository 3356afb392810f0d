import { type FileRow, type FolderRow, type GrantRow, type Level, ROOT, type WorkspaceRow } from "../store/rows.ts";
import type { FoldersTable } from "../store/folders-table.ts";
import type { Tables } from "../store/tables.ts";

export const LEVEL_RANK: Readonly<Record<Level, number>> = { none: 0, read: 1, edit: 2, full: 3 };

export function includesLevel(level: Level, needed: Level): boolean {
  return LEVEL_RANK[level] >= LEVEL_RANK[needed];
}

/** Row numbers of a file and of its folder. A grant on either can decide the access to the file. */
type FilePlace = Pick<FileRow, "seq" | "parent">;

type FoundItem = ({ readonly kind: "folder" } & FolderRow) | ({ readonly kind: "file" } & FileRow);

/** Returns the file or folder at a path; undefined if there is none. */
export async function findItemAt(
  { tables, workspace }: { readonly tables: Tables; readonly workspace: WorkspaceRow },
  path: string,
): Promise<FoundItem | undefined> {
  // The names of files end in `.md`, and those of folders do not.
  if (path.endsWith(".md")) {
    const file = await tables.files.byPath(workspace.seq, path);
    return file && { kind: "file", ...file };
  }
  const folder = await tables.folders.byPath(workspace.seq, path);
  return folder && { kind: "folder", ...folder };
}

/**
 * Access of a key to the files and folders of a workspace, within one transaction. The nearest
 * grant decides: the grant on the file itself, otherwise the grant on the nearest folder above the
 * file. One call of `loadAncestors` looks up all folders that a request needs; later checks need no
 * query.
 */
export class Access {
  readonly grants: readonly GrantRow[];
  /** Level of access in the whole workspace; null if the level differs between folders. */
  readonly everywhere: Level | null;
  readonly #folders: Pick<FoldersTable, "ancestors">;
  readonly #parents = new Map<number, number>();
  readonly #onFolders: Map<number, Level>;
  readonly #onFiles = new Map<number, Level>();

  constructor(grants: readonly GrantRow[], folders: Pick<FoldersTable, "ancestors">) {
    const rootLevel = grants.find((grant) => grant.kind === "root")?.level ?? "none";
    this.grants = grants;
    this.#folders = folders;
    this.#onFolders = new Map([[ROOT, rootLevel]]);
    for (const { kind, target, level } of grants) {
      if (kind === "folder") this.#onFolders.set(target, level);
      if (kind === "file") this.#onFiles.set(target, level);
    }
    this.everywhere = this.#onFolders.size === 1 && this.#onFiles.size === 0 ? rootLevel : null;
  }

  /** Looks up all folders above each of the given folders, unless they were looked up before. */
  async loadAncestors(folders: Iterable<number>): Promise<void> {
    if (this.everywhere !== null) return;
    const unknownFolders = new Set<number>();
    for (const seq of folders) if (!this.#onFolders.has(seq) && !this.#parents.has(seq)) unknownFolders.add(seq);
    if (unknownFolders.size === 0) return;
    const parents = await this.#folders.ancestors([...unknownFolders]);
    for (const [seq, parent] of parents) this.#parents.set(seq, parent);
    for (const seq of unknownFolders) if (!this.#parents.has(seq)) this.#parents.set(seq, ROOT);
  }

  /** @throws if `loadAncestors` has not looked up the folder */
  folder(seq: number): Level {
    return this.everywhere ?? this.#nearestGrant(seq);
  }

  /** @throws if `loadAncestors` has not looked up the folder of the file */
  file(row: FilePlace): Level {
    return this.everywhere ?? this.#onFiles.get(row.seq) ?? this.#nearestGrant(row.parent);
  }

  async levelOfFolder(seq: number): Promise<Level> {
    await this.loadAncestors([seq]);
    return this.folder(seq);
  }

  async levelOfFile(row: FilePlace): Promise<Level> {
    await this.loadAncestors([row.parent]);
    return this.file(row);
  }

  levelOf(item: FoundItem): Promise<Level> {
    return item.kind === "folder" ? this.levelOfFolder(item.seq) : this.levelOfFile(item);
  }

  #nearestGrant(folder: number): Level {
    const foldersBelow: number[] = [];
    let ancestor = folder;
    while (!this.#onFolders.has(ancestor)) {
      foldersBelow.push(ancestor);
      const parent = this.#parents.get(ancestor);
      if (parent === undefined) throw new Error(`the folder ${ancestor} is judged before it is known`);
      ancestor = parent;
    }
    const level = this.#onFolders.get(ancestor)!;
    for (const folderBelow of foldersBelow) this.#onFolders.set(folderBelow, level);
    return level;
  }
}
