import type { DocId } from "../../contract/ids.ts";
import { agrees, isAtRest } from "../../model/agreement.ts";
import { ownOf } from "../../model/borrowed-map.ts";
import type { Link } from "../../model/link.ts";
import type { LocalPath } from "../../model/path.ts";
import type { BaseTree, Trees } from "../../model/tree.ts";

/**
 * Whether the three trees agree on a linked document, so that nothing is to be done about it.
 * @param isLent whether it is known that both looks found it just as its link has it
 */
export function isQuiet(trees: Trees, link: Link, isLent: boolean): boolean {
  return (isLent ? isAtRest(link) : isAgreed(trees, link)) && isUnheld(trees.base, link);
}

function isAgreed({ local, remote }: Trees, link: Link): boolean {
  const there = remote.files.get(link.id);
  const here = local.files.get(link.localPath);
  return there !== undefined && here !== undefined && agrees(link, here, there, local.inodesTrusted);
}

/** Nearly always there is none at all, and no id to be looked up. */
function isUnheld({ conflicts, holds }: BaseTree, { id }: Link): boolean {
  return !(conflicts.size > 0 && conflicts.has(id)) && !(holds.size > 0 && holds.has(id));
}

/** Whether both looks found a document just as its link has it. */
export type LentTest = (link: Link) => boolean;

/**
 * Tells it without making what was borrowed of base, from the few that were not.
 * @returns null where it cannot be told so: a look borrowed nothing, or two links have one path
 */
export function lentTest({ base: { links }, local, remote }: Trees): LentTest | null {
  const here = ownOf(local.files, links);
  const there = ownOf(remote.files, links);
  if (here.size === local.files.size || there.size === remote.files.size) return null;
  const lentHere = local.files.size - here.size;
  const lentThere = remote.files.size - there.size;
  // What is borrowed is of one link each, at a path or with an id of its own. So where there is as
  // much as there are links, no two links share a path, and each of the others is borrowed.
  const allHere = lentHere + countPaths(links, here) === links.size;
  const allThere = lentThere + countIds(links, there) === links.size;
  if (!allHere && !isOneEach(links)) return null;
  return ({ id, localPath }) =>
    !(here.size > 0 && here.has(localPath)) &&
    !(there.size > 0 && there.has(id)) &&
    (allHere || local.files.has(localPath)) &&
    (allThere || remote.files.has(id));
}

/** Whether no two links have one path: such a file would belong to neither. */
export function isOneEach(links: BaseTree["links"]): boolean {
  const paths = new Set<LocalPath>();
  for (const { localPath } of links.values()) paths.add(localPath);
  return paths.size === links.size;
}

/** How many of the paths are of links. */
function countPaths(links: BaseTree["links"], paths: ReadonlyMap<LocalPath, unknown>): number {
  if (paths.size === 0) return 0;
  const found = new Set<LocalPath>();
  for (const { localPath } of links.values()) if (paths.has(localPath)) found.add(localPath);
  return found.size;
}

function countIds(links: BaseTree["links"], ids: ReadonlyMap<DocId, unknown>): number {
  let count = 0;
  for (const id of ids.keys()) if (links.has(id)) count++;
  return count;
}
