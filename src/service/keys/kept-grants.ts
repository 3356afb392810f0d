/**
 * Keeps the grants of deleted files and folders for their former paths. A client may delete a
 * folder and create another one at the path. Without the kept grants, other keys might then have
 * access that a grant on the old folder did not give.
 * ASSUMES: a grant that gives less access than the folder above is kept when its file or folder is
 * deleted. Such a grant applies to a file or folder that is created at the same path later
 * (contract test "keeps what a grant withholds …").
 */

import { rebase } from "../../contract/path.ts";
import { Access, findItemAt, includesLevel, LEVEL_RANK } from "../files/access.ts";
import { type Refused, refuse } from "../requests/answer.ts";
import type { RequestContext } from "../requests/context.ts";
import type { KeptGrant, PlacedGrant } from "../store/rows.ts";

type WorkspaceContext = Pick<RequestContext, "tables" | "workspace">;

export async function keepGrants(context: WorkspaceContext, placedGrants: readonly PlacedGrant[]): Promise<void> {
  const { tables, workspace } = context;
  const keys = [...new Set(placedGrants.map(({ key }) => key))];
  const grants = Map.groupBy(keys.length === 0 ? [] : await tables.grants.of(keys), ({ key }) => key);
  for (const { key, parent, path, level } of placedGrants) {
    const levelAbove = await new Access(grants.get(key) ?? [], tables.folders).levelOfFolder(parent);
    if (LEVEL_RANK[level] < LEVEL_RANK[levelAbove])
      await keepStricterGrant(context, { key, workspace: workspace.seq, path, level });
  }
}

async function keepStricterGrant({ tables }: WorkspaceContext, grant: KeptGrant): Promise<void> {
  const keptGrants = await tables.grants.keptWithin(grant.workspace, grant.path);
  const previousGrant = keptGrants.find(({ key, path }) => key === grant.key && path === grant.path);
  if (previousGrant === undefined || LEVEL_RANK[grant.level] < LEVEL_RANK[previousGrant.level])
    await tables.grants.keep(grant);
}

/** Moves the kept grants below a folder to the folder's new path. */
export async function moveKeptGrants(context: WorkspaceContext, from: string, to: string): Promise<void> {
  const { tables, workspace } = context;
  for (const keptGrant of await tables.grants.keptWithin(workspace.seq, from)) {
    await tables.grants.dropKept(keptGrant);
    await keepStricterGrant(context, { ...keptGrant, path: rebase(keptGrant.path, from, to) });
  }
}

/**
 * Applies kept grants after an item was created, renamed or moved: those for the path of the item,
 * and those for paths below it.
 * @returns a refusal if a kept grant denies edit access to the caller, otherwise null. A refusal
 * rolls the request back. Otherwise the client could not read an item that it has just created, and
 * would conclude that somebody deleted the item
 */
export async function applyKeptGrants(
  context: WorkspaceContext & Pick<RequestContext, "key">,
  path: string,
): Promise<Refused | null> {
  const { tables, workspace } = context;
  let refusal: Refused | null = null;
  for (const keptGrant of await tables.grants.keptWithin(workspace.seq, path)) {
    const item = await findItemAt(context, keptGrant.path);
    if (item === undefined) continue;
    // The grants of the key are read again for each kept grant, because the previous kept grant may
    // have changed the grants of this key.
    const grants = await tables.grants.of([keptGrant.key]);
    const { kind, seq: target } = item;
    const currentGrant = grants.find((grant) => grant.kind === kind && grant.target === target);
    const currentLevel = currentGrant?.level ?? (await new Access(grants, tables.folders).levelOfFolder(item.parent));
    if (LEVEL_RANK[keptGrant.level] < LEVEL_RANK[currentLevel])
      await tables.grants.set({ key: keptGrant.key, kind, target, level: keptGrant.level });
    await tables.grants.dropKept(keptGrant);
    if (keptGrant.key === context.key && !includesLevel(keptGrant.level, "edit"))
      refusal = refuse("forbidden", `This key may not put anything at /${keptGrant.path}.`);
  }
  return refusal;
}
