import type { Actors } from "./actors.ts";
import type { Hold, Link } from "../../../src/mirror/model/link.ts";
import { documentsOf } from "./desk.ts";
import { leadsThere, type LifeLink, linksIn, pathSaid } from "./linked-texts.ts";
import type { LiveFile } from "./live-lists.ts";
import { type LifeMirror, ROOT } from "./mirror.ts";
import { isBelow } from "./names.ts";
import { tagOf } from "./text-marks.ts";

/**
 * Every link that people may count on leads home, on the service and in each folder, when nothing
 * moves any more: resolved by the texts and paths that are there, and by nothing else.
 */

/** @returns how many links were resolved */
export function judgeLinksThere(actors: Actors): number {
  const files = actors.lifeWorld.files();
  let resolved = 0;
  for (const file of files)
    for (const link of promisedIn(actors, file.text, files)) {
      resolved++;
      const { said, to } = link;
      const [found, home] = [leadsThere(link, files), homeOf(to, files)!];
      // As `leadsToAnother`.
      const isAnothers = files.some(({ id }) => id === found) && actors.wasHidden(home.id);
      const isLost = said.startsWith("ref://") && staysInert(actors, home);
      if (found !== home.id && !isAnothers && !isLost)
        actors.history.fail(`I01 the link ${link.mark} of ${file.path} on the service leads to ${said}, not to ${to}`);
    }
  return resolved;
}

/** @returns how many links were resolved */
export function judgeLinksHere(actors: Actors, mirror: LifeMirror): number {
  const files = actors.lifeWorld.files();
  const documents = documentsOf(mirror.desk);
  const { links, conflicts, holds } = mirror.state.load();
  // LIMIT: of one that was renamed out of the mirror, and of what came to its place.
  const left = new Set([...holds.values()].flatMap(({ reason, path }) => (reason === LEFT ? [path] : [])));
  const isOutside = (link: Link | undefined): boolean => link !== undefined && left.has(link.localPath);
  // Whatever stands there, if it was another's before the two were linked.
  const inConflict = new Set([...links.values()].flatMap((link) => (conflicts.has(link.id) ? [link.localPath] : [])));
  let resolved = 0;
  for (const [path, text] of documents) {
    if (inConflict.has(path)) continue;
    const own = homeOf(tagOf(text) ?? "", files);
    // A file that is no document's is held by its path, and no link of it was ever by id. Of a
    // conflict, the text that stands here may be one that was never read as its document's.
    if (own === null || !links.has(own.id) || holds.has(path) || conflicts.has(own.id)) continue;
    for (const link of promisedIn(actors, text, files)) {
      const home = homeOf(link.to, files)!;
      if (leadsNowhereHere(mirror, path, link) && staysInert(actors, home)) continue;
      // Where both were new at one path, the local text has another tag while the conflict is open,
      // and while the text that its user chose is in review.
      const isInReview = (links.get(home.id)?.submissions.length ?? 0) > 0;
      if (conflicts.has(home.id) || isInReview || isOutside(links.get(home.id))) continue;
      resolved++;
      const kept = actors.history.kept[mirror.index];
      if (
        !leadsHomeHere(mirror, path, link, home, links.has(home.id), kept) &&
        !leadsToAnother(actors, mirror, path, link)
      )
        actors.history.fail(
          `I01 the link ${link.mark} of ${path} in mirror ${mirror.index} leads to ${link.said}, not to ${link.to}`,
        );
    }
  }
  return resolved;
}

const LEFT = "renamed-out-of-mirror";

/**
 * @param isLinked whether base has the target; else a file of its tag is another document
 * @param kept the document's tag by the tag of the text that its user kept of a conflict
 */
function leadsHomeHere(
  { desk }: LifeMirror,
  path: string,
  { to, said }: LifeLink,
  home: LiveFile,
  isLinked: boolean,
  kept: ReadonlyMap<string, string> | undefined,
): boolean {
  const target = pathSaid(path, said);
  const found = target === null ? null : desk.user.read(`${ROOT}/${target}`);
  const tag = tagOf(found ?? "") ?? "";
  if (tag === to || kept?.get(tag) === to) return true;
  const isHere = isLinked && [...documentsOf(desk).values()].some((one) => tagOf(one) === to);
  // A document that was moved out of the mirrored part left a path that leads to nothing.
  return !isHere && (said === home.id || found === null);
}

/**
 * A key that may not read a document for a time cannot tell it from one that is gone. A link to it
 * leads to what has come to its path meanwhile, as it would after a deletion.
 */
function leadsToAnother(actors: Actors, { desk }: LifeMirror, path: string, { to, said }: LifeLink): boolean {
  const target = pathSaid(path, said);
  const isTaken = target !== null && desk.user.read(`${ROOT}/${target}`) !== null;
  return isTaken && actors.wasHidden(homeOf(to, actors.lifeWorld.files())!.id);
}

/**
 * Whether a mirror of a part of the workspace may have made links to a document inert for good. Its
 * key could not read it at some time, and the document is outside of that part: no list shows it to
 * that mirror again (decision record 40).
 */
function staysInert(actors: Actors, { id, path }: LiveFile): boolean {
  return (
    actors.wasHidden(id) && actors.mirrors.some(({ setup: { prefix } }) => prefix !== "" && !isBelow(path, prefix))
  );
}

function leadsNowhereHere({ desk }: LifeMirror, path: string, { said }: LifeLink): boolean {
  const target = pathSaid(path, said);
  return target === null || desk.user.read(`${ROOT}/${target}`) === null;
}

/**
 * A link that was by id, or by an absolute path, to what is gone since: the service refuses any
 * edit of such a text until a person takes the link out.
 */
export function isRefusedForLinks({ reason, detail }: Hold, files: readonly LiveFile[]): boolean {
  const said = /cannot be resolved: "([^"]*)"/.exec(detail)?.[1];
  if (reason !== "refused" || said === undefined) return false;
  const found = leadsThere({ said }, files);
  return found === said && !files.some(({ id }) => id === said);
}

/** Those of which both ends are known to be what they were. */
function promisedIn({ history }: Actors, text: string, files: readonly LiveFile[]): LifeLink[] {
  // Of two documents of one tag, one is a file that was paired with none after a kill.
  if (history.mayVanish.has(tagOf(text) ?? "") || homeOf(tagOf(text) ?? "", files) === null) return [];
  return linksIn(text).filter(
    ({ mark, to }) => history.links.isPromised(mark) && !history.mayVanish.has(to) && homeOf(to, files) !== null,
  );
}

/** The one document of a tag; null where there is none, or more than one. */
function homeOf(tag: string, files: readonly LiveFile[]): LiveFile | null {
  const [one, another] = files.filter(({ text }) => tagOf(text) === tag);
  return one === undefined || another !== undefined ? null : one;
}
