import { type FoldersTable, ROOT } from "./folders-table.ts";
import type { GrantRow, Level } from "./keys-table.ts";

/**
 * What a key may do. The nearest grant decides: one on the file, else on its folder, and so on up
 * to the root's.
 */
export type Access = {
  folder(seq: number): Level;
  file(row: { readonly seq: number; readonly folder: number }): Level;
  /** The level that holds for everything, or null where subtrees differ. */
  readonly everywhere: Level | null;
};

export const RANK: Readonly<Record<Level, number>> = { none: 0, read: 1, edit: 2, full: 3 };

export function includes(level: Level, needed: Level): boolean {
  return RANK[level] >= RANK[needed];
}

/** Lives for one request, so that its memory of folders is never stale. */
export function accessOf(grants: readonly GrantRow[], folders: Pick<FoldersTable, "parentOf">): Access {
  const root = grants.find((grant) => grant.kind === "root")?.level ?? "none";
  const onFolders = new Map<number, Level>([[ROOT, root]]);
  const onFiles = new Map<number, Level>();
  for (const { kind, target, level } of grants) {
    if (kind === "folder") onFolders.set(target, level);
    if (kind === "file") onFiles.set(target, level);
  }
  const everywhere = onFolders.size === 1 && onFiles.size === 0 ? root : null;
  const folder = (seq: number): Level => {
    const below: number[] = [];
    let at = seq;
    while (!onFolders.has(at)) {
      below.push(at);
      at = folders.parentOf(at);
    }
    const level = onFolders.get(at)!;
    for (const known of below) onFolders.set(known, level);
    return level;
  };
  return {
    everywhere,
    folder: (seq) => everywhere ?? folder(seq),
    file: (row) => everywhere ?? onFiles.get(row.seq) ?? folder(row.folder),
  };
}
