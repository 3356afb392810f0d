import { at, canStand, documentsOf, makeParent, type Person } from "./user-folder.ts";
import { choose } from "./choose.ts";
import { linksIn, pathBetween } from "./linked-texts.ts";
import { freePath } from "./names.ts";
import { linkTo } from "./write-link.ts";
import { tagOf } from "./text-marks.ts";

/** A user links documents in the folder, as an editor does: by path. */

/** Writes a link to another document into this one. */
export function linkHere(person: Person, path: string): string | null {
  const { userFolder, seed } = person;
  const others = [...documentsOf(userFolder)].filter(([one, text]) => one !== path && tagOf(text) !== null);
  const to = choose(
    others.map(([one]) => one),
    seed + 1,
  );
  return to !== null && writeLink(person, path, to) ? `${path} to ${to}` : null;
}

/** Creates a document that links to an existing one, and back. */
export function createLinked(person: Person, path: string): string | null {
  const { userFolder, history, seed } = person;
  const free = freePath(seed, (one) => userFolder.user.exists(at(userFolder, one)) || !canStand(userFolder, one));
  if (userFolder.user.exists(at(userFolder, free)) || !canStand(userFolder, free)) return null;
  makeParent(userFolder, free);
  userFolder.user.write(at(userFolder, free), history.newText(seed));
  const written = [writeLink(person, free, path), writeLink(person, path, free)];
  return `${free} ${written.join(" ")} with ${path}`;
}

function writeLink({ userFolder, history, seed }: Person, path: string, to: string): boolean {
  const { user } = userFolder;
  const [text, target] = [user.read(at(userFolder, path)), user.read(at(userFolder, to))];
  const tag = tagOf(target ?? "");
  if (text === null || tag === null || tagOf(text) === null) return false;
  const said = pathBetween(path, to);
  // One destination in one file means one document: an earlier link may use it for another
  // document, which was moved since.
  if (linksIn(text).some((link) => link.said === said && link.to !== tag)) return false;
  const by = `mirror ${userFolder.mirror}`;
  const linked = linkTo(history, text, { tag, said }, { seed, by });
  history.editedHere(userFolder.mirror, text);
  history.replaced(text, linked.text);
  if (seed % 3 === 0) user.saveAtomically(at(userFolder, path), linked.text);
  else user.write(at(userFolder, path), linked.text);
  history.links.writtenHere(linked.mark, userFolder.mirror, history.step);
  return true;
}
