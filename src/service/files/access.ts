import { type GrantRow, type Level, ROOT } from "../store/rows.ts";
import type { Folders } from "../store/tables.ts";

export const RANK: Readonly<Record<Level, number>> = { none: 0, read: 1, edit: 2, full: 3 };

export function includes(level: Level, needed: Level): boolean {
  return RANK[level] >= RANK[needed];
}

/** A file, as far as its level depends on it. */
type Placed = { readonly seq: number; readonly folder: number };

/**
 * The levels that grants give. The nearest one decides: one on the file, else on its folder, and so
 * on up to the root's. Lives for one transaction, so that what it remembers is never stale.
 */
export class Levels {
  /** The level that holds everywhere, or null where subtrees differ. */
  readonly everywhere: Level | null;
  readonly #parentOf: (folder: number) => number;
  /** Levels of the root, of folders with a grant, and of folders that were asked for. */
  readonly #onFolders: Map<number, Level>;
  readonly #onFiles = new Map<number, Level>();

  /** @param parentOf the row number of the folder above; `ROOT` for one that is gone */
  constructor(grants: readonly GrantRow[], parentOf: (folder: number) => number) {
    const root = grants.find((grant) => grant.kind === "root")?.level ?? "none";
    this.#parentOf = parentOf;
    this.#onFolders = new Map([[ROOT, root]]);
    for (const { kind, target, level } of grants) {
      if (kind === "folder") this.#onFolders.set(target, level);
      if (kind === "file") this.#onFiles.set(target, level);
    }
    this.everywhere = this.#onFolders.size === 1 && this.#onFiles.size === 0 ? root : null;
  }

  folder(seq: number): Level {
    return this.everywhere ?? this.#nearestGrant(seq);
  }

  file(row: Placed): Level {
    return this.everywhere ?? this.#onFiles.get(row.seq) ?? this.#nearestGrant(row.folder);
  }

  /** Whether the level of a folder is known without its parent. */
  isKnown(folder: number): boolean {
    return this.everywhere !== null || this.#onFolders.has(folder);
  }

  #nearestGrant(folder: number): Level {
    const below: number[] = [];
    let at = folder;
    while (!this.#onFolders.has(at)) {
      below.push(at);
      at = this.#parentOf(at);
    }
    const level = this.#onFolders.get(at)!;
    for (const known of below) this.#onFolders.set(known, level);
    return level;
  }
}

/**
 * What a key may do, as a transaction sees it. The folders that a request is about are looked up
 * together, by one `know`; then each row is judged at once.
 */
export class Access {
  readonly grants: readonly GrantRow[];
  readonly #folders: Pick<Folders, "ancestors">;
  readonly #parents = new Map<number, number>();
  readonly #levels: Levels;

  constructor(grants: readonly GrantRow[], folders: Pick<Folders, "ancestors">) {
    this.grants = grants;
    this.#folders = folders;
    this.#levels = new Levels(grants, (folder) => this.#parentOf(folder));
  }

  get everywhere(): Level | null {
    return this.#levels.everywhere;
  }

  /** Looks up what lies above these folders; asks for nothing that is known. */
  async know(folders: Iterable<number>): Promise<void> {
    if (this.everywhere !== null) return;
    const unknown = new Set<number>();
    for (const seq of folders) if (!this.#levels.isKnown(seq) && !this.#parents.has(seq)) unknown.add(seq);
    if (unknown.size === 0) return;
    const found = await this.#folders.ancestors([...unknown]);
    for (const [seq, parent] of found) this.#parents.set(seq, parent);
    for (const seq of unknown) if (!this.#parents.has(seq)) this.#parents.set(seq, ROOT);
  }

  /** @throws unless the folder is known */
  folder(seq: number): Level {
    return this.#levels.folder(seq);
  }

  /** @throws unless its folder is known */
  file(row: Placed): Level {
    return this.#levels.file(row);
  }

  async levelOfFolder(seq: number): Promise<Level> {
    await this.know([seq]);
    return this.folder(seq);
  }

  async levelOfFile(row: Placed): Promise<Level> {
    await this.know([row.folder]);
    return this.file(row);
  }

  #parentOf(folder: number): number {
    const parent = this.#parents.get(folder);
    if (parent === undefined) throw new Error(`the folder ${folder} is judged before it is known`);
    return parent;
  }
}
