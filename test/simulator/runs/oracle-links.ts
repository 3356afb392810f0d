import type { Actors } from "./actors.ts";
import type { Block, DocumentRecord } from "../../../src/mirror/model/record.ts";
import type { BaseTree } from "../../../src/mirror/model/tree.ts";
import { documentsOf } from "./user-folder.ts";
import { leadsThere, type SimulatedLink, linksIn, pathSaid } from "./linked-texts.ts";
import type { LiveFile } from "./live-lists.ts";
import { ROOT } from "../mirror.ts";
import type { SimulatedMirror } from "./mirror.ts";
import { isBelow } from "./names.ts";
import { tagOf } from "./text-marks.ts";

/**
 * Checks that every link that users may rely on leads to its target, on the service and in each
 * folder, at the end. Links are resolved only by the contents and paths of that side.
 */

/** @returns number of resolved links */
export function checkServiceLinks(actors: Actors): number {
  const files = actors.simulatedWorld.files();
  let resolved = 0;
  for (const file of files)
    for (const link of promisedIn(actors, file.text, files)) {
      resolved++;
      const { said, to } = link;
      const [found, home] = [leadsThere(link, files), homeOf(actors, to, files)!];
      // As in `leadsToAnother`.
      const isAnothers = files.some(({ id }) => id === found) && actors.wasHidden(home.id);
      const isLost = said.startsWith("ref://") && staysInert(actors, home);
      if (found !== home.id && !isAnothers && !isLost)
        actors.history.fail(`I01 the link ${link.mark} of ${file.path} on the service leads to ${said}, not to ${to}`);
    }
  return resolved;
}

/** @returns number of resolved links */
export function checkLocalLinks(actors: Actors, mirror: SimulatedMirror): number {
  const files = actors.simulatedWorld.files();
  const documents = documentsOf(mirror.userFolder);
  const base = mirror.state.load();
  const { records, conflicts, blocks } = base;
  // LIMIT: links to a document whose file was renamed to a path that is not synced, and to the file
  // that took its place.
  const left = new Set([...blocks.values()].flatMap(({ reason, path }) => (reason === LEFT ? [path] : [])));
  const isOutside = (record: DocumentRecord | undefined): boolean => record !== undefined && left.has(record.localPath);
  // Any file at the path, if it was another document's before the two were linked.
  const inConflict = new Set(
    [...records.values()].flatMap((record) => (conflicts.has(record.id) ? [record.localPath] : [])),
  );
  let resolved = 0;
  for (const [path, text] of documents) {
    if (inConflict.has(path)) continue;
    const own = homeOf(actors, tagOf(text) ?? "", files);
    // A file without a document is blocked by its path, and none of its links was ever by id. In a
    // conflict, the local content may never have been read as its document's.
    if (own === null || !records.has(own.id) || blocks.has(path) || conflicts.has(own.id)) continue;
    for (const link of promisedIn(actors, text, files)) {
      const home = homeOf(actors, link.to, files)!;
      if (leadsNowhereHere(mirror, path, link) && staysInert(actors, home)) continue;
      // If both were new at one path, the local content has another tag while the conflict is open,
      // and while the content that its user chose is in review.
      const isInReview = (records.get(home.id)?.submissions.length ?? 0) > 0;
      if (conflicts.has(home.id) || isInReview || isOutside(records.get(home.id))) continue;
      resolved++;
      const kept = actors.history.kept[mirror.index];
      if (!leadsHomeHere(mirror, path, link, home, base, kept) && !leadsToAnother(actors, mirror, path, link))
        actors.history.fail(
          `I01 the link ${link.mark} of ${path} in mirror ${mirror.index} leads to ${link.said}, not to ${link.to}`,
        );
    }
  }
  return resolved;
}

const LEFT = "renamed-out-of-mirror";

/**
 * @param base a target without a record is not linked: a file of its tag is another document
 * @param kept the document's tag by the tag of the content that its user kept of a conflict
 */
function leadsHomeHere(
  { userFolder }: SimulatedMirror,
  path: string,
  { to, said }: SimulatedLink,
  home: LiveFile,
  { records, blocks }: Pick<BaseTree, "records" | "blocks">,
  kept: ReadonlyMap<string, string> | undefined,
): boolean {
  const target = pathSaid(path, said);
  const found = target === null ? null : userFolder.user.read(`${ROOT}/${target}`);
  const tag = tagOf(found ?? "") ?? "";
  if (tag === to || kept?.get(tag) === to) return true;
  const record = records.get(home.id);
  // A power loss took the file's content: no tag shows whose file it is, only its recorded path.
  if (found !== null && tag === "" && target === (record?.localPath ?? blocks.get(home.id)?.path)) return true;
  const isHere = record !== undefined && [...documentsOf(userFolder).values()].some((one) => tagOf(one) === to);
  // A document that was moved out of the linked folder left a path without a target.
  return !isHere && (said === home.id || found === null);
}

/**
 * Returns true if a link leads to another document because the key could not read its target for a
 * time. Such a target cannot be distinguished from a deleted one. The link then leads to the
 * document that came to its path meanwhile, as after a deletion.
 */
function leadsToAnother(
  actors: Actors,
  { userFolder }: SimulatedMirror,
  path: string,
  { to, said }: SimulatedLink,
): boolean {
  const target = pathSaid(path, said);
  const isTaken = target !== null && userFolder.user.read(`${ROOT}/${target}`) !== null;
  return isTaken && actors.wasHidden(homeOf(actors, to, actors.simulatedWorld.files())!.id);
}

/**
 * Returns true if a mirror of a part of the workspace may have made links to a document inert for
 * good. Its key could not read the document at some time, and the document is outside that part: no
 * list shows it to that mirror again (decision record 153).
 */
function staysInert(actors: Actors, { id, path }: LiveFile): boolean {
  return (
    actors.wasHidden(id) && actors.mirrors.some(({ setup: { prefix } }) => prefix !== "" && !isBelow(path, prefix))
  );
}

function leadsNowhereHere({ userFolder }: SimulatedMirror, path: string, { said }: SimulatedLink): boolean {
  const target = pathSaid(path, said);
  return target === null || userFolder.user.read(`${ROOT}/${target}`) === null;
}

/**
 * Returns true for content that the service refuses because of a link, by id or absolute path, to a
 * deleted target. The service refuses every edit until a user removes the link.
 */
export function isRefusedForLinks({ reason, detail }: Block, files: readonly LiveFile[]): boolean {
  const said = /cannot be resolved: "([^"]*)"/.exec(detail)?.[1];
  if (reason !== "refused" || said === undefined) return false;
  const found = leadsThere({ said }, files);
  return found === said && !files.some(({ id }) => id === said);
}

/** Returns links whose ends are both known to be unchanged. */
function promisedIn(actors: Actors, text: string, files: readonly LiveFile[]): SimulatedLink[] {
  const { history } = actors;
  // Of two documents with one tag, one is a file that was matched with no document after a kill.
  if (history.mayVanish.has(tagOf(text) ?? "") || homeOf(actors, tagOf(text) ?? "", files) === null) return [];
  return linksIn(text).filter(
    ({ mark, to }) =>
      history.links.isPromised(mark) && !history.mayVanish.has(to) && homeOf(actors, to, files) !== null,
  );
}

/**
 * Returns the one document of a tag; null if there is none, or more than one. A document that began
 * with the tag counts: its user kept another content of a conflict, and links by id lead to it.
 */
function homeOf(actors: Actors, tag: string, files: readonly LiveFile[]): LiveFile | null {
  const [one, another] = files.filter(({ id, text }) => tagOf(text) === tag || actors.beganWith(id, tag));
  return one === undefined || another !== undefined || tagOf(one.text) !== tag ? null : one;
}
