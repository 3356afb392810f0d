import { type FoldersTable, ROOT } from "./folders-table.ts";
import type { GrantRow, Level } from "./keys-table.ts";

export const RANK: Readonly<Record<Level, number>> = { none: 0, read: 1, edit: 2, full: 3 };

export function includes(level: Level, needed: Level): boolean {
  return RANK[level] >= RANK[needed];
}

/**
 * What a key may do. The nearest grant decides: one on the file, else on its folder, and so on up
 * to the root's. Lives for one request, so that the levels it remembers are never stale.
 */
export class Access {
  /** The level that holds everywhere, or null where subtrees differ. */
  readonly everywhere: Level | null;
  readonly #folders: Pick<FoldersTable, "parentOf">;
  /** Levels of the root, of folders with a grant, and of folders that were asked for. */
  readonly #onFolders: Map<number, Level>;
  readonly #onFiles = new Map<number, Level>();

  constructor(grants: readonly GrantRow[], folders: Pick<FoldersTable, "parentOf">) {
    const root = grants.find((grant) => grant.kind === "root")?.level ?? "none";
    this.#folders = folders;
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

  file(row: { readonly seq: number; readonly folder: number }): Level {
    return this.everywhere ?? this.#onFiles.get(row.seq) ?? this.#nearestGrant(row.folder);
  }

  #nearestGrant(folder: number): Level {
    const below: number[] = [];
    let at = folder;
    while (!this.#onFolders.has(at)) {
      below.push(at);
      at = this.#folders.parentOf(at);
    }
    const level = this.#onFolders.get(at)!;
    for (const known of below) this.#onFolders.set(known, level);
    return level;
  }
}
