import { isDirId } from "../../contract/ids.ts";
import { mayHaveLinks } from "../../markdown/links/candidates.ts";
import { type Destination, readDestinationParts } from "../../markdown/links/destination.ts";
import { includesLevel } from "./access.ts";
import { isRefused, type Refused, refuseFields } from "../requests/answer.ts";
import type { RequestContext } from "../requests/context.ts";
import { findFile, findFolder } from "./place.ts";
import { quoteValue } from "../../contract/api/fields.ts";
import { decodeSegment } from "../requests/validate.ts";
import { findLinks } from "../../markdown/links/find.ts";

/**
 * Refuses content with broken links, if the service checks links. A link without a scheme must be
 * the id or the absolute path of an item that the key can read. Not checked are links in code,
 * links that are only a fragment, and links with a scheme, such as `ref://`.
 * @returns null if no link is broken, or if the service does not check links
 */
export async function judgeLinks(context: RequestContext, text: string): Promise<Refused | null> {
  if (context.links === "any" || !mayHaveLinks(text)) return null;
  const targetsFound = new Map<string, boolean>();
  for (const { from, to } of findLinks(text)) {
    const destination = readDestinationParts(text.slice(from, to));
    if (destination.kind === "foreign" || destination.inert) continue;
    if (!targetsFound.has(destination.target))
      targetsFound.set(destination.target, await canResolve(context, destination));
  }
  const brokenTargets = [...targetsFound].flatMap(([target, isThere]) => (isThere ? [] : [target]));
  if (brokenTargets.length === 0) return null;
  return refuseFields(
    brokenTargets.slice(0, MAX_LISTED_LINKS).map((target) => ({
      code: "unresolved_reference",
      pointer: "/content",
      detail: `content references a file or folder which cannot be resolved: ${quoteValue(target)}.`,
    })),
  );
}

/** LIMIT: number of broken links that an answer lists, so that the answer stays short. */
const MAX_LISTED_LINKS = 10;

async function canResolve(context: RequestContext, { kind, target }: Destination): Promise<boolean> {
  if (kind === "id")
    return !isRefused(await (isDirId(target) ? findFolder(context, target) : findFile(context, target)));
  return target.startsWith("/") && isReadable(context, target.slice(1).replace(/\/$/, ""));
}

async function isReadable({ tables, workspace, access }: RequestContext, target: string): Promise<boolean> {
  const path = decodeSegment(target);
  if (path.endsWith(".md")) {
    const file = await tables.files.byPath(workspace.seq, path);
    return file !== undefined && includesLevel(await access.levelOfFile(file), "read");
  }
  const folder = await tables.folders.byPath(workspace.seq, path);
  return folder !== undefined && includesLevel(await access.levelOfFolder(folder.seq), "read");
}
