import type { Actors } from "./actors.ts";
import type { Block, DocumentRecord } from "../../../src/mirror/model/record.ts";
import type { BaseTree } from "../../../src/mirror/model/tree.ts";
import { documentsOf } from "./user-folder.ts";
import { linksIn, pathOfDestination, type SimulatedLink, tagOf, targetOnService } from "./contents.ts";
import type { LiveFile } from "./world.ts";
import { ROOT } from "../mirror.ts";
import type { SimulatedMirror } from "./mirror.ts";
import { isBelow } from "./choices.ts";

/**
 * Checks that every promised link leads to its target at the end, on the service and in each
 * folder. Each side's links are resolved by the contents and paths of that side only.
 */

/** @returns number of resolved links */
export function checkServiceLinks(actors: Actors): number {
  const files = actors.simulatedWorld.files();
  let resolved = 0;
  for (const file of files)
    for (const link of promisedIn(actors, file.text, files)) {
      resolved++;
      const { said, to } = link;
      const [found, home] = [targetOnService(link, files), homeOf(actors, to, files)!];
      // The same exception as in `leadsToAnother`.
      const isAnothers = files.some(({ id }) => id === found) && actors.wasHidden(home.id);
      const isLost = isInert(link) && (staysInert(actors, home) || mayWaitForEdit(actors, file, home));
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
  // LIMIT: not checked are links to a document whose file was renamed to an unsynced path, and
  // links to the file that took its path.
  const left = new Set([...blocks.values()].flatMap(({ reason, path }) => (reason === LEFT ? [path] : [])));
  const isOutside = (record: DocumentRecord | undefined): boolean => record !== undefined && left.has(record.localPath);
  // Documents in conflict. The file at such a path may have been another document before the two
  // became one.
  const inConflict = new Set(
    [...records.values()].flatMap((record) => (conflicts.has(record.id) ? [record.localPath] : [])),
  );
  let resolved = 0;
  for (const [path, text] of documents) {
    if (inConflict.has(path)) continue;
    const own = homeOf(actors, tagOf(text) ?? "", files);
    // A file without a document is blocked by its path; its links were never translated to ids. In
    // a conflict, the local content may never have been read as its document's.
    const record = own === null ? undefined : records.get(own.id);
    if (own === null || record === undefined || blocks.has(path) || conflicts.has(own.id)) continue;
    const inReview = record.submissions.map(({ digest }) => mirror.state.text(digest) ?? "");
    const inertMarks = new Set(
      [own.text, ...inReview].flatMap((sent) => linksIn(sent).filter(isInert)).map(({ mark }) => mark),
    );
    for (const link of promisedIn(actors, text, files)) {
      const home = homeOf(actors, link.to, files)!;
      const waits = inertMarks.has(link.mark) && mayWaitForEdit(actors, own, home);
      if (leadsNowhereLocally(mirror, path, link) && (staysInert(actors, home) || waits)) continue;
      // If both sides had a new document at one path, the local content has another tag while the
      // conflict is open, and while the chosen content is in review.
      const isInReview = (records.get(home.id)?.submissions.length ?? 0) > 0;
      if (conflicts.has(home.id) || isInReview || isOutside(records.get(home.id))) continue;
      resolved++;
      const kept = actors.history.kept[mirror.index];
      if (!leadsToTarget(mirror, path, link, home, base, kept) && !leadsToAnother(actors, mirror, path, link))
        actors.history.fail(
          `I01 the link ${link.mark} of ${path} in mirror ${mirror.index} leads to ${link.said}, not to ${link.to}`,
        );
    }
  }
  return resolved;
}

const LEFT = "renamed-out-of-mirror";

/**
 * Returns true if a local link leads to its target.
 * @param base without a record of the target, a file with its tag is another document
 * @param kept tag of the content that a user kept in a conflict → tag of its document
 */
function leadsToTarget(
  { userFolder }: SimulatedMirror,
  path: string,
  { to, said }: SimulatedLink,
  home: LiveFile,
  { records, blocks }: Pick<BaseTree, "records" | "blocks">,
  kept: ReadonlyMap<string, string> | undefined,
): boolean {
  const target = pathOfDestination(path, said);
  const found = target === null ? null : userFolder.user.read(`${ROOT}/${target}`);
  const tag = tagOf(found ?? "") ?? "";
  if (tag === to || kept?.get(tag) === to) return true;
  const record = records.get(home.id);
  // A power cut took the file's content. Without a tag, only its recorded path shows which document
  // it is.
  if (found !== null && tag === "" && target === (record?.localPath ?? blocks.get(home.id)?.path)) return true;
  const isHere = record !== undefined && [...documentsOf(userFolder).values()].some((one) => tagOf(one) === to);
  // The target was moved out of the linked folder, so a path to it leads nowhere.
  return !isHere && (said === home.id || found === null);
}

/**
 * Returns true if a link may lead to another document, because the key could not read its target
 * for a time. mdmirror cannot distinguish such a target from a deleted one. So the link leads to
 * the document that came to the target's path meanwhile.
 */
function leadsToAnother(
  actors: Actors,
  { userFolder }: SimulatedMirror,
  path: string,
  { to, said }: SimulatedLink,
): boolean {
  const target = pathOfDestination(path, said);
  const isTaken = target !== null && userFolder.user.read(`${ROOT}/${target}`) !== null;
  return isTaken && actors.wasHidden(homeOf(actors, to, actors.simulatedWorld.files())!.id);
}

/**
 * Returns true if a mirror of a part of the workspace may have stopped to translate links to a
 * document for good. Its key could not read the document at some time, and the document is outside
 * of that part, so no list shows it to that mirror again (decision record 153).
 */
function staysInert(actors: Actors, { id, path }: LiveFile): boolean {
  return (
    actors.wasHidden(id) && actors.mirrors.some(({ setup: { prefix } }) => prefix !== "" && !isBelow(path, prefix))
  );
}

/**
 * Returns true if a document keeps an inert link until its next edit. A key could not read the
 * target at some time, so the link was sent inert. When the target is shown again, mdmirror sends a
 * protected document to review only if its user has edited it (decision record 153).
 */
function mayWaitForEdit(actors: Actors, document: LiveFile, target: LiveFile): boolean {
  return document.protected && actors.wasHidden(target.id);
}

function isInert({ said }: SimulatedLink): boolean {
  return said.startsWith("ref://");
}

function leadsNowhereLocally({ userFolder }: SimulatedMirror, path: string, { said }: SimulatedLink): boolean {
  const target = pathOfDestination(path, said);
  return target === null || userFolder.user.read(`${ROOT}/${target}`) === null;
}

/**
 * Returns true for content that the service refuses because it links, by id or absolute path, to a
 * deleted document. The service refuses every edit until a user removes the link.
 */
export function isRefusedForLinks({ reason, detail }: Block, files: readonly LiveFile[]): boolean {
  const said = /cannot be resolved: "([^"]*)"/.exec(detail)?.[1];
  if (reason !== "refused" || said === undefined) return false;
  const found = targetOnService({ said }, files);
  return found === said && !files.some(({ id }) => id === said);
}

/** Returns the promised links of a document whose own document and target are both certain. */
function promisedIn(actors: Actors, text: string, files: readonly LiveFile[]): SimulatedLink[] {
  const { history } = actors;
  // If two documents have one tag, one of them comes from a file that could not be matched after a
  // kill.
  if (history.mayVanish.has(tagOf(text) ?? "") || homeOf(actors, tagOf(text) ?? "", files) === null) return [];
  return linksIn(text).filter(
    ({ mark, to }) =>
      history.links.isPromised(mark) && !history.mayVanish.has(to) && homeOf(actors, to, files) !== null,
  );
}

/**
 * Returns the only document of a tag; null if there is none, or more than one. A document whose
 * first content had the tag counts too: a user kept another content in a conflict, and links by id
 * lead to the document.
 */
function homeOf(actors: Actors, tag: string, files: readonly LiveFile[]): LiveFile | null {
  const [one, another] = files.filter(({ id, text }) => tagOf(text) === tag || actors.beganWith(id, tag));
  return one === undefined || another !== undefined || tagOf(one.text) !== tag ? null : one;
}
