import { agrees } from "../../model/agreement.ts";
import type { Link } from "../../model/link.ts";
import type { Trees } from "../../model/tree.ts";

/** Whether the three trees agree on a linked document, so that nothing is to be done about it. */
export function isQuiet({ base, local, remote }: Trees, link: Link): boolean {
  const there = remote.files.get(link.id);
  const here = local.files.get(link.localPath);
  if (there === undefined || here === undefined || !agrees(link, here, there, local.inodesTrusted)) return false;
  return !isIn(base.conflicts, link) && !isIn(base.holds, link);
}

/** Nearly always there is none at all, and no id to be looked up. */
function isIn(map: ReadonlyMap<string, unknown>, { id }: Link): boolean {
  return map.size > 0 && map.has(id);
}
