import { at, canStand, type UserFolder, documentsOf, makeParent, type Person } from "./user-folder.ts";
import { openOrClose } from "./editors.ts";
import type { History } from "./history.ts";
import { choose } from "./choose.ts";
import { createLinked, linkHere } from "./local-links.ts";
import { actOnFolder, actOnPlace, removeMany } from "./local-places.ts";
import { endConflict, finishSave, leaveOddFile, save } from "./local-texts.ts";
import { freePath } from "./names.ts";
import type { LocalAct } from "./script.ts";

/**
 * Acts of a user with editors and a file manager in the folder.
 * @param aimed the document; left out: the seed chooses one
 */
export function actHere(userFolder: UserFolder, history: History, act: LocalAct, seed: number, aimed?: string): string {
  finishSave(userFolder, history);
  if (userFolder.hands) openOrClose(userFolder, seed);
  const person = { userFolder, history, seed };
  const documents = documentsOf(userFolder);
  const path = aimed === undefined ? choose([...documents.keys()], seed) : documents.has(aimed) ? aimed : null;
  const done = perform(person, act, path);
  history.weighPaths(userFolder.mirror, () => documentsOf(userFolder));
  return `here ${userFolder.mirror}: ${act} ${done ?? "nothing"}`;
}

function perform(person: Person, act: LocalAct, path: string | null): string | null {
  const { userFolder, history, seed } = person;
  switch (act) {
    case "create": {
      const free = freePath(seed, (one) => userFolder.user.exists(at(userFolder, one)) || !canStand(userFolder, one));
      if (userFolder.user.exists(at(userFolder, free)) || !canStand(userFolder, free)) return null;
      makeParent(userFolder, free);
      userFolder.user.write(at(userFolder, free), history.newText(seed));
      return free;
    }
    case "make-folder": {
      const folder = `box-${seed % 4}`;
      if (userFolder.user.exists(at(userFolder, folder))) return null;
      userFolder.user.makeFolder(at(userFolder, folder));
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
      return path === null ? null : linkHere(person, path);
    case "create-linked":
      return path === null ? null : createLinked(person, path);
    default:
      return path === null ? null : save(person, act, path);
  }
}
