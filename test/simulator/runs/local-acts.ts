import { absolutePath, canHaveFile, type UserFolder, documentsOf, makeParent, type ActingUser } from "./user-folder.ts";
import { openOrClose } from "./editors.ts";
import type { History } from "./history.ts";
import { choose } from "./choose.ts";
import { actOnFolder, actOnPlace, removeMany } from "./local-places.ts";
import { endConflict, finishSave, leaveOddFile, save } from "./local-texts.ts";
import { freePath } from "./names.ts";
import type { LocalAct } from "./script.ts";
import { linksIn, pathBetween } from "./linked-texts.ts";
import { linkTo } from "./write-link.ts";
import { tagOf } from "./text-marks.ts";

/**
 * Executes an action of a user with an editor or a file manager in the folder.
 * @param aimed path of the document; undefined: the seed chooses one
 */
export function actInFolder(
  userFolder: UserFolder,
  history: History,
  act: LocalAct,
  seed: number,
  aimed?: string,
): string {
  finishSave(userFolder, history);
  if (userFolder.hands) openOrClose(userFolder, seed);
  const person = { userFolder, history, seed };
  const documents = documentsOf(userFolder);
  const path = aimed === undefined ? choose([...documents.keys()], seed) : documents.has(aimed) ? aimed : null;
  const done = perform(person, act, path);
  history.weighPaths(userFolder.mirror, () => documentsOf(userFolder));
  return `here ${userFolder.mirror}: ${act} ${done ?? "nothing"}`;
}

function perform(person: ActingUser, act: LocalAct, path: string | null): string | null {
  const { userFolder, history, seed } = person;
  switch (act) {
    case "create": {
      const free = freePath(
        seed,
        (one) => userFolder.user.exists(absolutePath(userFolder, one)) || !canHaveFile(userFolder, one),
      );
      if (userFolder.user.exists(absolutePath(userFolder, free)) || !canHaveFile(userFolder, free)) return null;
      makeParent(userFolder, free);
      userFolder.user.write(absolutePath(userFolder, free), history.newText(seed));
      return free;
    }
    case "make-folder": {
      const folder = `box-${seed % 4}`;
      if (userFolder.user.exists(absolutePath(userFolder, folder))) return null;
      userFolder.user.makeFolder(absolutePath(userFolder, folder));
      return folder;
    }
    case "remove-many":
      return removeMany(person);
    case "odd-file":
      return leaveOddFile(person);
    case "end-conflict":
      return endConflict(person);
    case "rename-folder":
    case "move-folder":
    case "remove-folder":
      return actOnFolder(person, act);
    case "rename":
    case "change-case":
    case "move":
    case "swap":
    case "swap-edited":
    case "remove":
      return path === null ? null : actOnPlace(person, act, path);
    case "link":
      return path === null ? null : addLocalLink(person, path);
    case "create-linked":
      return path === null ? null : createLinkedPair(person, path);
    default:
      return path === null ? null : save(person, act, path);
  }
}

/** A user links documents in the folder like an editor: by path. */

/** Writes a link to another document into this one. */
function addLocalLink(person: ActingUser, path: string): string | null {
  const { userFolder, seed } = person;
  const others = [...documentsOf(userFolder)].filter(([one, text]) => one !== path && tagOf(text) !== null);
  const to = choose(
    others.map(([one]) => one),
    seed + 1,
  );
  return to !== null && writeLink(person, path, to) ? `${path} to ${to}` : null;
}

/** Creates a document that links to an existing one, and adds a link back. */
function createLinkedPair(person: ActingUser, path: string): string | null {
  const { userFolder, history, seed } = person;
  const free = freePath(
    seed,
    (one) => userFolder.user.exists(absolutePath(userFolder, one)) || !canHaveFile(userFolder, one),
  );
  if (userFolder.user.exists(absolutePath(userFolder, free)) || !canHaveFile(userFolder, free)) return null;
  makeParent(userFolder, free);
  userFolder.user.write(absolutePath(userFolder, free), history.newText(seed));
  const written = [writeLink(person, free, path), writeLink(person, path, free)];
  return `${free} ${written.join(" ")} with ${path}`;
}

function writeLink({ userFolder, history, seed }: ActingUser, path: string, to: string): boolean {
  const { user } = userFolder;
  const [text, target] = [user.read(absolutePath(userFolder, path)), user.read(absolutePath(userFolder, to))];
  const tag = tagOf(target ?? "");
  if (text === null || tag === null || tagOf(text) === null) return false;
  const said = pathBetween(path, to);
  // In one file, equal destinations must mean one document. An earlier link may have this
  // destination for a document that was moved since.
  if (linksIn(text).some((link) => link.said === said && link.to !== tag)) return false;
  const by = `mirror ${userFolder.mirror}`;
  const linked = linkTo(history, text, { tag, said }, { seed, by });
  history.editedHere(userFolder.mirror, text);
  history.replaced(text, linked.text);
  if (seed % 3 === 0) user.saveAtomically(absolutePath(userFolder, path), linked.text);
  else user.write(absolutePath(userFolder, path), linked.text);
  history.links.writtenHere(linked.mark, userFolder.mirror, history.step);
  return true;
}
