/**
 * Keeps grants of removed files and folders. A client may delete a folder and create it again
 * automatically. Other keys must not get access then that a grant on the old folder withheld.
 * ASSUMES: if a file or folder is deleted, a grant on it that gives less than the folder above is
 * kept for its path. It applies to a file or folder that is created at that path later (contract
 * test "keeps what a grant withholds …").
 */

import { Access, includes, RANK } from "../files/access.ts";
import { type Refused, refuse } from "../requests/answer.ts";
import type { RequestContext } from "../requests/context.ts";
import type { KeptGrant, PlacedGrant } from "../store/rows.ts";

type Where = Pick<RequestContext, "tables" | "workspace">;

/** Keeps the grants on files and folders that will be removed, for their paths. */
export async function keepGrants(context: Where, placed: readonly PlacedGrant[]): Promise<void> {
  const { tables, workspace } = context;
  const keys = [...new Set(placed.map(({ key }) => key))];
  const grants = Map.groupBy(keys.length === 0 ? [] : await tables.grants.of(keys), ({ key }) => key);
  for (const { key, parent, path, level } of placed) {
    const above = await new Access(grants.get(key) ?? [], tables.folders).levelOfFolder(parent);
    if (RANK[level] < RANK[above]) await keepStricter(context, { key, workspace: workspace.seq, path, level });
  }
}

/** Keeps a grant for a path, unless a stricter grant of the same key is kept for that path. */
async function keepStricter({ tables }: Where, grant: KeptGrant): Promise<void> {
  const within = await tables.grants.keptWithin(grant.workspace, grant.path);
  const keptBefore = within.find(({ key, path }) => key === grant.key && path === grant.path);
  if (keptBefore === undefined || RANK[grant.level] < RANK[keptBefore.level]) await tables.grants.keep(grant);
}

/** Moves kept grants together with a folder: grants for paths in the folder get the new path. */
export async function moveKeptGrants(context: Where, from: string, to: string): Promise<void> {
  const { tables, workspace } = context;
  for (const kept of await tables.grants.keptWithin(workspace.seq, from)) {
    await tables.grants.dropKept(kept);
    await keepStricter(context, { ...kept, path: to + kept.path.slice(from.length) });
  }
}

/**
 * Applies kept grants after an item was created, renamed or moved to a path. Includes grants for
 * paths below it.
 * @returns a refusal, which rolls the request back, if a kept grant would deny the caller edit
 * access to the new item. Otherwise a client that cannot read the item would conclude that it was
 * deleted. Null if nothing is refused
 */
export async function applyKeptGrants(
  context: Where & Pick<RequestContext, "key">,
  path: string,
): Promise<Refused | null> {
  const { tables, workspace } = context;
  let refused: Refused | null = null;
  for (const kept of await tables.grants.keptWithin(workspace.seq, path)) {
    const placed = await placeAt(context, kept.path);
    if (placed === undefined) continue;
    // The grants are read again for each kept grant, because the previous one may have changed a
    // grant of the same key.
    const grants = await tables.grants.of([kept.key]);
    const { kind, seq: target } = placed;
    const current = grants.find((grant) => grant.kind === kind && grant.target === target);
    const currentLevel = current?.level ?? (await new Access(grants, tables.folders).levelOfFolder(placed.parent));
    if (RANK[kept.level] < RANK[currentLevel])
      await tables.grants.set({ key: kept.key, kind, target, level: kept.level });
    await tables.grants.dropKept(kept);
    if (kept.key === context.key && !includes(kept.level, "edit"))
      refused = refuse("forbidden", `This key may not put anything at /${kept.path}.`);
  }
  return refused;
}

type GrantPlace = { readonly kind: "file" | "folder"; readonly seq: number; readonly parent: number };

/** Returns the file or folder at a path; undefined if there is none. */
export async function placeAt({ tables, workspace }: Where, path: string): Promise<GrantPlace | undefined> {
  const folder = await tables.folders.byPath(workspace.seq, path);
  if (folder !== undefined) return { kind: "folder", seq: folder.seq, parent: folder.parent };
  const file = await tables.files.byPath(workspace.seq, path);
  return file && { kind: "file", seq: file.seq, parent: file.folder };
}
