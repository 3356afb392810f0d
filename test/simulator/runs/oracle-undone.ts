import { isTemporaryName } from "../../../src/mirror/model/names.ts";
import { nameOf, pathKey } from "../../../src/contract/path.ts";
import { digestOf } from "../../../src/contract/digest.ts";
import type { FolderRecord, DocumentRecord } from "../../../src/mirror/model/record.ts";
import type { Actors } from "./actors.ts";
import { absolutePath, documentsOf, foldersOf } from "./user-folder.ts";
import { isTextOf, tagOf, withoutDestinations } from "./contents.ts";
import type { LiveFile } from "./world.ts";
import type { DiskTrouble } from "./script.ts";
import { normaliseText } from "../../variants/traits.ts";
import { isBelow, parentIn } from "./choices.ts";
import { withoutRename } from "./wire-reading.ts";
import { ROOT } from "../mirror.ts";
import type { SimulatedMirror } from "./mirror.ts";

/**
 * Checks that a sync does not revert a change that only one side made. Compares the state before
 * and after the sync, never the mirror's plan.
 */

/**
 * A document of base at the beginning of a sync, with the changes since base that only one side
 * made.
 */
type Before = {
  readonly record: DocumentRecord;
  readonly tag: string;
  readonly text: string | null;
  /** The document's local path, found by its tag; null if there is none or more than one. */
  readonly place: string | null;
  /** True if mdmirror itself has moved the file into `.mdmirror/`, which base does not show. */
  readonly isSetAside: boolean;
  readonly live: LiveFile | null;
  /**
   * True if a folder of its path on the service is not base's folder. Even at the same path, the
   * document has then moved from one folder into another.
   */
  readonly isElsewhere: boolean;
  /**
   * True if the service shows base's version with the change id of a rename, which may have been
   * undone since. A client takes such a version for an edit.
   */
  readonly isRenamedThere: boolean;
  /**
   * True if the file is not at base's path, and the sync may be unable to read it. If another file
   * is at base's path, then only this path shows whose file it is. Such a file is sent, because
   * other files may stay unreadable.
   */
  readonly mayBeHidden: boolean;
  /**
   * True if an earlier sync has found other targets for the file's links, and was killed before it
   * sent them. The file then counts as edited.
   */
  readonly hasUnsentLinks: boolean;
};

/** A folder of base. `here` is its present path, or base's path if the folder was not found. */
type Dir = FolderRecord & { readonly here: string };

export type ChangesBefore = {
  readonly documents: readonly Before[];
  readonly ids: ReadonlySet<string>;
  readonly dirs: readonly Dir[];
  /** Ids of blocked documents and folders. */
  readonly blocked: ReadonlySet<string>;
};

const HIDING_TROUBLES: ReadonlySet<DiskTrouble | null> = new Set<DiskTrouble>(["forbidden", "flaky"]);

/** @param trouble the disk trouble of the sync; null if there is none */
export function findChangesBefore(
  actors: Actors,
  mirror: SimulatedMirror,
  trouble: DiskTrouble | null = null,
): ChangesBefore {
  const { state } = mirror;
  const { records, dirs, conflicts, blocks } = state.load();
  const { prefix } = mirror.setup;
  const whole = (path: string): string => (prefix === "" ? path : `${prefix}/${path}`);
  const underWay = new Set(state.intents().flatMap(({ intent }) => ("id" in intent ? [intent.id as string] : [])));
  const files = actors.simulatedWorld.files();
  const readable = new Set(actors.simulatedWorld.readable(mirror.index).map(({ id }) => id));
  const tagsThere = files.map(({ text }) => tagOf(text));
  const local = documentsOf(mirror.userFolder);
  const setAside = inodesSetAside(mirror);
  const stands = ({ id, remotePath }: FolderRecord): boolean =>
    actors.simulatedWorld.whileOpen(() => actors.simulatedWorld.folderId(whole(remotePath))) === id;
  const replaced = [...dirs.values()].filter((dir) => !stands(dir));
  const documents = [...records.values()].flatMap((record): Before[] => {
    const base = state.text(record.digest);
    const tag = base === null ? null : tagOf(base);
    const live = files.find(({ id }) => id === record.id) ?? null;
    const busy =
      conflicts.has(record.id) || blocks.has(record.id) || blocks.has(record.localPath) || underWay.has(record.id);
    const isKept = actors.history.kept[mirror.index]?.get(tagOf(local.get(record.localPath) ?? "") ?? "") === tag;
    if (tag === null || busy || isKept || record.state !== "linked" || (live !== null && !readable.has(live.id)))
      return [];
    const places = [...local].flatMap(([path, text]) => (tagOf(text) === tag ? [path] : []));
    const isTwin = [...records.values()].some(
      (one) => one.id !== record.id && tagOf(state.text(one.digest) ?? "") === tag,
    );
    // A second document of this tag is on the service: it was created from a file that had no
    // record after a kill.
    const isTwinThere = tagsThere.some((one, index) => one === tag && files[index]!.id !== record.id);
    if (places.length > 1 || isTwin || isTwinThere) return [];
    const isElsewhere = replaced.some(({ remotePath }) => isBelow(record.remotePath, remotePath));
    const isSetAside = setAside.has(record.stamp?.ino ?? null);
    const isRenamedThere = live !== null && actors.simulatedWorld.shownChangeId(live) !== record.changeId;
    const text = local.get(record.localPath) ?? null;
    const place = places[0] ?? null;
    const mayBeHidden = place !== null && place !== record.localPath && HIDING_TROUBLES.has(trouble);
    const spelling = text === null ? null : state.spellings.find(record.localPath, digestOf(text));
    const hasUnsentLinks = spelling !== null && ![record.digest, record.localDigest].includes(spelling.text);
    const where = { place, isSetAside, live, isElsewhere, isRenamedThere, mayBeHidden };
    return [{ record, tag, text, ...where, hasUnsentLinks }];
  });
  return {
    documents,
    ids: new Set(files.map(({ id }) => id)),
    dirs: findFolders(mirror, [...dirs.values()]),
    blocked: new Set(blocks.keys()),
  };
}

/** Returns inodes of files in the trash, and of files that mdmirror has replaced or is moving. */
function inodesSetAside({ disk: { user } }: SimulatedMirror): ReadonlySet<number | null> {
  const own = `${ROOT}/.mdmirror`;
  return new Set(Array.from(user.texts(own, true).keys(), (path) => user.inode(`${own}/${path}`)));
}

function findFolders({ userFolder, disk }: SimulatedMirror, dirs: readonly FolderRecord[]): Dir[] {
  const byInode = new Map(foldersOf(userFolder).map((path) => [disk.lstat(absolutePath(userFolder, path)).ino, path]));
  return dirs.map((dir) => ({ ...dir, here: byInode.get(dir.ino) ?? dir.localPath }));
}

/**
 * Checks the documents that were recorded before the sync.
 * @param refused ids of documents and folders with a refused write
 */
export function checkUndone(
  actors: Actors,
  mirror: SimulatedMirror,
  before: ChangesBefore,
  refused: ReadonlySet<string>,
): void {
  const files = actors.simulatedWorld.files();
  const local = documentsOf(mirror.userFolder);
  const { prefix } = mirror.setup;
  const own = (path: string): string => (prefix === "" ? path : path.slice(prefix.length + 1));
  const asSaved = actors.simulatedWorld.normalises ? normaliseText : (one: string) => one;
  const stopped = { ids: new Set([...refused, ...before.blocked]), dirs: before.dirs };
  for (const document of before.documents) {
    const { record, tag, text, place, isSetAside, live, isElsewhere, isRenamedThere, mayBeHidden } = document;
    const fail = (what: string): void =>
      actors.history.fail(`${what}: ${record.localPath} ${record.id} (mirror ${mirror.index})`);
    const after = files.find(({ id }) => id === record.id) ?? null;
    const placesAfter = [...local].flatMap(([path, now]) => (tagOf(now) === tag ? [path] : []));
    const isUnchangedHere = text !== null && place === record.localPath && isBase(mirror, record, text);
    const isUnchangedThere = live !== null && withoutRename(live.changeId) === withoutRename(record.changeId);
    const isInPlaceThere = live !== null && own(live.path) === record.remotePath;
    if (isUnchangedHere && live === null && !document.hasUnsentLinks) {
      const again = files.find((file) => tagOf(file.text) === tag && !before.ids.has(file.id));
      if (again !== undefined) fail("I04 deleted there, unchanged here, and made there again");
    }
    if (
      isUnchangedHere &&
      live !== null &&
      !isUnchangedThere &&
      after !== null &&
      withoutDestinations(asSaved(after.text)) !== withoutDestinations(asSaved(live.text))
    )
      fail("I10 edited there alone, and written there");
    // A temporary name that an interrupted plan of another mirror left is nobody's rename. Any
    // mirror may restore the former name (I13).
    const isWished = live !== null && !isTemporaryName(nameOf(live.path));
    if (
      isUnchangedHere &&
      isUnchangedThere &&
      !isInPlaceThere &&
      isWished &&
      after !== null &&
      own(after.path) === record.remotePath
    )
      fail("I09 moved there alone, and moved back there");
    if (!isUnchangedThere || !isInPlaceThere) continue;
    const now = local.get(record.localPath);
    const isRefused = refused.has(record.id);
    const isEditedHere =
      !isRefused &&
      text !== null &&
      place === record.localPath &&
      !isBase(mirror, record, text) &&
      !isTorn(record, text);
    if (isEditedHere && now !== undefined && isBase(mirror, record, now))
      fail("I14 edited locally alone, and the edit is undone");
    // A power cut may have taken a file that was never flushed. If mdmirror set a file aside, its
    // absence is no deletion by a user. A protected document cannot be deleted, so mdmirror
    // restores it.
    const isMeant = actors.history.mayVanish.has(tag);
    const tagAfter = after === null ? tag : tagOf(after.text);
    if (tagAfter !== tag && !isMeant && !isRefused && !mayBeHidden)
      fail("I09 another document's text was sent as its own");
    const isGoneHere = place === null && text === null && record.durable && !isSetAside;
    const isDeletedHere = isGoneHere && isMeant && !live.protected;
    if (isDeletedHere && !isRefused && !isElsewhere && !isRenamedThere && placesAfter.length > 0)
      fail("I04 deleted locally alone, and made here again");
    const movedAway = place !== null && place !== record.localPath && text === null;
    // A document that was renamed and edited beyond recognition between two scans counts as one
    // deleted and one new document. If it is protected, the deleted one is restored.
    if (
      movedAway &&
      !isMeant &&
      !isElsewhere &&
      placesAfter.includes(record.localPath) &&
      !closesCircle(actors, before.dirs, record, place) &&
      !isGivenUp(actors, mirror, stopped, record, place)
    )
      fail("I09 moved locally alone, and moved back here");
  }
}

/**
 * Returns true if two moves would put two folders into each other. The document moved locally with
 * its folder into another folder, and that folder was moved into the first one on the service. Such
 * a local move is dropped, whatever the other folder's local name is now.
 */
function closesCircle(
  { simulatedWorld }: Actors,
  dirs: readonly Dir[],
  { localPath }: DocumentRecord,
  place: string,
): boolean {
  const left = dirs.filter((dir) => isBelow(localPath, dir.localPath) && !isBelow(place, dir.localPath));
  const entered = dirs.filter(({ here, localPath: was }) => isBelow(place, here) && !isBelow(localPath, was));
  const pathOf = ({ id }: FolderRecord): string | undefined =>
    simulatedWorld.folders().find((path) => simulatedWorld.folderId(path) === id);
  return entered.some((into) => left.some((from) => isBelow(pathOf(into) ?? "", pathOf(from) ?? "-")));
}

/**
 * Returns true if a power cut may have left this content of a file that was never flushed: some
 * whole sectors, then nothing or zeros.
 */
function isTorn({ durable }: DocumentRecord, text: string): boolean {
  return !durable && (Buffer.byteLength(text) % 512 === 0 || text.includes("\0"));
}

function isBase({ state }: SimulatedMirror, { digest, localDigest }: DocumentRecord, text: string): boolean {
  return isTextOf(state, digest, text) || isTextOf(state, localDigest, text);
}

/**
 * Ids of documents and folders with a write that the service refused before the sync or in it, and
 * the folders of base.
 */
type Stopped = { readonly ids: ReadonlySet<string>; readonly dirs: readonly FolderRecord[] };

/**
 * Returns true if mdmirror may drop a local move because the new path, or that of a folder above
 * it, is taken on the service by another document or folder. Then one of these is true: the former
 * path is the numbered name beside the taken one; the service refused the move, or that of a folder
 * above; the direction never sends the move.
 * @param place path of the document after its move
 */
function isGivenUp(
  { simulatedWorld }: Actors,
  { setup, direction }: SimulatedMirror,
  { ids, dirs }: Stopped,
  record: DocumentRecord,
  place: string,
): boolean {
  const left = dirs.filter(({ localPath }) => isBelow(record.localPath, localPath));
  const isStopped = direction === "pull" || [record, ...left].some(({ id }) => ids.has(id));
  const { foldsCase = false, foldsUnicode = false } = setup.disk;
  const keyOf = (path: string): string => pathKey(path, { foldsCase, foldsUnicode });
  const whole = (path: string): string => (setup.prefix === "" ? path : `${setup.prefix}/${path}`);
  const known = new Set(dirs.map(({ id, localPath }) => `${id} ${keyOf(whole(localPath))}`));
  const others = simulatedWorld.whileOpen(() => [
    ...simulatedWorld.files().flatMap(({ id, path }) => (id === record.id ? [] : [path])),
    ...simulatedWorld.folders().filter((path) => !known.has(`${simulatedWorld.folderId(path)} ${keyOf(path)}`)),
  ]);
  const taken = new Set(others.map(keyOf));
  for (let path = place; path !== ""; path = parentIn(path))
    if (taken.has(keyOf(whole(path))) && (isStopped || isNumbered(record.localPath, place, path))) return true;
  return false;
}

/**
 * Returns true if `former` is `place` with a number in the name of `taken`: `f-2/note.md` for
 * `f/note.md` if `f` is taken.
 */
function isNumbered(former: string, place: string, taken: string): boolean {
  const stem = taken.endsWith(".md") ? taken.slice(0, -".md".length) : taken;
  const rest = place.slice(stem.length);
  const number = former.slice(stem.length, former.length - rest.length);
  return former === `${stem}${number}${rest}` && /^-\d+$/.test(number);
}
