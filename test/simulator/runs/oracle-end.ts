import { mapName, findNameFaults } from "../../../src/contract/names.ts";
import type { BlockReason } from "../../../src/mirror/model/block.ts";
import { type Block, type DocumentRecord, indexRecordsByPath } from "../../../src/mirror/model/record.ts";
import { ancestorsOf, pathKey, isConflictCopyName, nameOf } from "../../../src/contract/path.ts";
import { digestOf } from "../../../src/contract/digest.ts";
import { isTemporaryName } from "../../../src/mirror/model/names.ts";
import type { Actors } from "./actors.ts";
import { isTextOf, marksOf, tagOf, withoutDestinations } from "./contents.ts";
import type { LiveFile } from "./world.ts";
import { documentsOf } from "./user-folder.ts";
import { isRefusedForLinks, checkLocalLinks } from "./oracle-links.ts";
import { ROOT } from "../mirror.ts";
import type { SimulatedMirror } from "./mirror.ts";
import { withoutRename } from "./wire-reading.ts";
import { shownText } from "./ledger.ts";

/** Reasons of blocks that may remain at the end. Every block that ends by itself has ended then. */
const MAY_STAND: ReadonlySet<BlockReason> = new Set([
  // The local content cannot be sent.
  "not-utf-8",
  "contains-nul",
  "too-large",
  "name-refused",
  "name-clash",
  "type-clash",
  "path-taken",
  "path-pending",
  "renamed-out-of-mirror",
  "folder-blocked",
  // The service refused, and would refuse again.
  "read-only",
  "delete-refused",
  "delete-pending",
  "folder-stays",
  "no-move-to-root",
  "occupied-unseen",
  "gone-or-unreadable",
  // A user must decide.
  "ambiguous-file",
  "in-review",
  "review-conflict",
  "review-unknown",
  "conflict",
  "outside",
]);

/**
 * Reasons of blocks that keep a conflict open after the user has removed its copy. The user chose
 * the local version, but it cannot be sent: its content is refused, its file has a name that is not
 * synced, or the document is missing. The conflict ends with the block.
 */
const KEEPS_MINE: ReadonlySet<BlockReason | undefined> = new Set([
  "not-utf-8",
  "contains-nul",
  "too-large",
  "gone-or-unreadable",
  "outside",
  "renamed-out-of-mirror",
]);

/** Checks I01 I11 I12 I13 I17 I27 of one mirror at the end. */
export function checkConverged(actors: Actors, mirror: SimulatedMirror): void {
  const { index, setup, state, disk } = mirror;
  const fail = (what: string, when = true): void => {
    if (when) actors.history.fail(`${what} (mirror ${index})`);
  };
  const { records, dirs, conflicts, blocks } = state.load();
  const readable = new Map(actors.simulatedWorld.readable(index).map((file) => [file.id as string, file]));
  const inside = (file: LiveFile): boolean => setup.prefix === "" || file.path.startsWith(`${setup.prefix}/`);
  const own = (path: string): string => (setup.prefix === "" ? path : path.slice(setup.prefix.length + 1));
  const local = documentsOf(mirror.userFolder);
  for (const block of blocks.values())
    fail(
      `I01 a hold that nothing ends: ${block.reason} ${block.path} ${block.detail}`,
      !MAY_STAND.has(block.reason) && !isRefusedForLinks(block, [...readable.values()]),
    );
  checkBlocks(actors, mirror, [...blocks.values()], records, fail);
  const blocked = new Set([...blocks.values()].flatMap(({ key, path }) => [key, path]));
  // Documents in a folder whose move or creation is blocked are blocked with it. If the key may not
  // move the folder, the block has the id of a document.
  const blockedFolders = new Set(
    [...blocks.values()].flatMap(({ key, path }) => [path, dirs.get(key as never)?.localPath ?? path]),
  );
  const isBelowBlocked = (path: string): boolean => ancestorsOf(path).some((folder) => blockedFolders.has(folder));
  const tagsBelowBlocked = new Set([...local].flatMap(([path, text]) => (isBelowBlocked(path) ? [tagOf(text)] : [])));
  const tagOfRecord = (record: DocumentRecord): string | null => tagOf(state.text(record.digest) ?? "");
  const waits = (record: DocumentRecord): boolean =>
    blocks.has(record.id) || isBelowBlocked(record.localPath) || tagsBelowBlocked.has(tagOfRecord(record));
  const away = [...records.values()].filter((record) => waits(record) && !local.has(record.localPath));
  const isMovedAndBlocked = (text: string): boolean => away.some((record) => tagOfRecord(record) === tagOf(text));
  // Files that may belong to a blocked document, by content or inode, are blocked with it.
  const undecided = [...records.values()].filter(({ id }) => blocks.get(id)?.reason === "ambiguous-file");
  const mayBeUndecided = (path: string, text: string): boolean =>
    undecided.some(
      (record) =>
        record.stamp?.ino === disk.user.inode(`${ROOT}/${path}`) ||
        (tagOf(text) !== null && tagOfRecord(record) === tagOf(text)),
    );
  // If the key may not write, a move or a new file is refused as a whole. One block reports it,
  // often the folder's.
  const mayNotMove = setup.level === "read" && [...blocks.values()].some(({ reason }) => reason === "read-only");
  // If a move is blocked, base has the document's former path, and the block has the present one.
  const standsAt = (record: DocumentRecord): DocumentRecord => ({
    ...record,
    localPath: blocks.get(record.id)?.path ?? record.localPath,
  });
  const isElsewhere = (record: DocumentRecord): boolean => standsAt(record).localPath !== record.localPath;
  const elsewhere = [...records.values()].filter(isElsewhere);
  const inPlace = [...records.values()].filter((record) => !isElsewhere(record));
  const byPath = indexRecordsByPath([...elsewhere, ...elsewhere.map(standsAt), ...inPlace]);
  for (const [path, text] of local) {
    // A file that is blocked by its path has no document, although base may have a document with a
    // blocked move at this path.
    if (blocks.has(path)) continue;
    const record = byPath.get(path);
    if (record === undefined) {
      fail(
        `I01 ${path} is not linked and not blocked`,
        !blocked.has(path) &&
          !isMovedAndBlocked(text) &&
          !mayBeUndecided(path, text) &&
          !isBelowBlocked(path) &&
          !mayNotMove,
      );
      continue;
    }
    const file = readable.get(record.id);
    const reason = blocks.get(record.id)?.reason;
    if (reason === "in-review" || reason === "review-conflict") {
      const left = unsent(actors, text, [state.text(record.digest) ?? "", file?.text ?? ""]);
      fail(`I31 ${path} counts as sent, and was not: ${left}`, left !== "");
    }
    if (blocked.has(record.id) || conflicts.has(record.id)) continue;
    if (file === undefined) {
      fail(`I01 ${path} is linked to ${record.id}, which is not there`);
      continue;
    }
    if (!inside(file)) continue;
    // Files were swapped locally, and the key may not move documents. The first move is blocked,
    // and the others wait for it.
    if (mayNotMove && tagOf(text) !== tagOfRecord(record)) continue;
    fail(`I01 ${path} is ${shownText(text)} here and ${shownText(file.text)} there`, !sameText(text, file.text));
    // The file has base's content in its local form, or in the form of the service.
    const hasBase = [record.localDigest, record.digest].some((digest) => isTextOf(state, digest, text));
    fail(
      `I12 the base of ${path} is not what both sides hold`,
      withoutRename(record.changeId) !== file.changeId || !hasBase,
    );
    fail(
      `I01 ${path} is at ${file.path} on the service`,
      !isNamedFor(mirror, path, own(file.path), blocked, record.id) &&
        !isBelowBlocked(path) &&
        !isBelowBlocked(own(file.path)) &&
        !mayNotMove,
    );
  }
  for (const file of readable.values()) {
    const record = records.get(file.id);
    if (!inside(file)) continue;
    if (record === undefined) {
      fail(`I01 ${file.path} of the service is not linked`, !blocked.has(file.id) && !blocked.has(own(file.path)));
      continue;
    }
    fail(`I01 ${file.path} of the service is not here`, !local.has(record.localPath) && !waits(record) && !mayNotMove);
    fail(
      `I12 base has ${record.localPath} at ${record.remotePath}, and it is at ${file.path}`,
      record.remotePath !== own(file.path) && !waits(record),
    );
  }
  // Base has the former path of a blocked document. On a disk that folds case, another document may
  // have this path in another spelling.
  const free = [...records.values()].filter((record) => !waits(record) && record.state === "linked");
  const keys = free.map((record) =>
    pathKey(
      record.localPath,
      mirror.setup.disk.foldsCase ? { foldsCase: true, foldsUnicode: true } : { foldsCase: false, foldsUnicode: false },
    ),
  );
  fail("I11 two links have one local path", new Set(keys).size !== keys.length);
  const texts = disk.user.texts(ROOT);
  for (const { id, newestCopyPath } of conflicts.values())
    fail(
      `I27 the conflict copy of ${id} is missing`,
      !texts.has(newestCopyPath) && !KEEPS_MINE.has(blocks.get(id)?.reason),
    );
  fail(
    "I13 intents are left open",
    state.intents().some(({ intent }) => intent.kind !== "set-aside" && intent.kind !== "sent"),
  );
  const temporary = [...disk.user.texts(`${ROOT}/.mdmirror/tmp`, true).keys()].filter(
    (name) => !name.startsWith("park-"),
  );
  fail(`I13 temp files are left behind: ${temporary.join(" ")}`, temporary.length > 0);
  checkNames(mirror, [...local.keys()], [...readable.values()], fail);
  checkSecrets(actors, mirror, fail);
  actors.tally.links += checkLocalLinks(actors, mirror);
}

/**
 * Returns lines of content that were never sent; content in review must have been sent. Lines of a
 * published version do not count: base is one, and its lines stay in the local file if two versions
 * conflict and the service loses them.
 */
function unsent({ history }: Actors, text: string, published: readonly string[]): string {
  const known = new Set(published.flatMap((one) => [...marksOf(one)]));
  return [...marksOf(text)].filter((mark) => !known.has(mark) && !history.sent.has(mark)).join(" ");
}

/** Checks that the cause of each block exists. */
function checkBlocks(
  actors: Actors,
  mirror: SimulatedMirror,
  blocks: readonly Block[],
  records: ReadonlyMap<string, DocumentRecord>,
  fail: (what: string, when?: boolean) => void,
): void {
  const { level } = mirror.setup;
  for (const { key, reason, path } of blocks) {
    if (reason === "read-only")
      fail(`I01 ${path} is blocked read-only, and the key may ${level}`, level === "full" || level === "edit");
    if (reason === "conflict")
      fail(
        `I27 ${path} is blocked by a conflict that is not on record`,
        records.has(key) && !mirror.state.load().conflicts.has(key as never),
      );
    if (reason === "gone-or-unreadable")
      fail(
        `I01 ${path} is blocked as gone, and it is there`,
        actors.simulatedWorld.readable(mirror.index).some(({ id }) => id === key),
      );
  }
}

/**
 * Returns true for equal contents, apart from links (oracle-links.ts). If a deployment normalizes
 * content and the mirror has learned this, contents may differ in their normal form. Otherwise they
 * must be equal byte for byte (I25).
 */
function sameText(here: string, there: string): boolean {
  const bare = (text: string): string =>
    withoutDestinations(text)
      .replace(/^\uFEFF/, "")
      .replace(/\r\n?/g, "\n")
      .replace(/\n*$/, "\n")
      .normalize("NFC");
  return here === there || bare(here) === bare(there);
}

/**
 * Returns true if a path is equal to the other side's, or if it is a name that mdmirror gives
 * because this side cannot have the other's name.
 */
function isNamedFor(
  mirror: SimulatedMirror,
  here: string,
  there: string,
  blocked: ReadonlySet<string>,
  id: string,
): boolean {
  if (here === there) return true;
  const [localNames, remoteNames] = [here.split("/"), there.split("/")];
  if (localNames.length !== remoteNames.length) return blocked.has(there);
  const folding = {
    foldsCase: mirror.setup.disk.foldsCase ?? false,
    foldsUnicode: mirror.setup.disk.foldsUnicode ?? false,
  };
  return localNames.every((name, depth) => {
    const other = remoteNames[depth]!;
    if (name === other) return true;
    const kind = depth === localNames.length - 1 ? "file" : "folder";
    if (findNameFaults(name, kind).length > 0 && mapName(name, kind) === other) return true;
    // On a disk that folds names, a name that differs only in that stays as it is.
    if (pathKey(name, folding) === pathKey(other, folding)) return true;
    // The disk could not have the name when the document came. Its file got another name, and keeps
    // it.
    const tail = kind === "file" ? `-${digestOf(id).slice(0, 8)}.md` : null;
    return tail === null ? /-[0-9a-f]{8}$/.test(name) : name.endsWith(tail);
  });
}

/**
 * Checks I13 and I26: no temporary name is left, and no conflict copy is on the service.
 * @param local paths of the local files
 * @param live documents that the mirror's key may read
 */
function checkNames(
  { state }: SimulatedMirror,
  local: readonly string[],
  live: readonly LiveFile[],
  fail: (what: string, when: boolean) => void,
): void {
  const { blocks, records } = state.load();
  const recordByPath = indexRecordsByPath(records.values());
  const leftAlone = new Set<string>();
  for (const block of blocks.values()) if (isLeftAlone(block, live)) leftAlone.add(block.path);
  // One block reports a refused folder and its files without documents.
  const isBelowLeftAlone = (path: string): boolean =>
    !recordByPath.has(path as never) && ancestorsOf(path).some((folder) => leftAlone.has(folder));
  const ownNames = local.filter((path) => !leftAlone.has(path) && !isBelowLeftAlone(path));
  for (const path of [...ownNames, ...live.map((file) => file.path)])
    fail(`I13 a name that only breaks a cycle is left: ${path}`, isTemporaryName(nameOf(path)));
  for (const file of live)
    fail(`I26 a conflict copy is on the service: ${file.path}`, isConflictCopyName(nameOf(file.path)));
}

/**
 * Returns true for a file or folder that mdmirror leaves alone, and that a block reports: a power
 * cut damaged it, or it is not on the service, which refuses it.
 */
function isLeftAlone(block: Block, live: readonly LiveFile[]): boolean {
  if (block.reason === "contains-nul") return true;
  return block.key === block.path && (block.reason === "read-only" || isRefusedForLinks(block, live));
}

/** Checks I30: neither log nor state contains the key, and the log contains no content. */
function checkSecrets(actors: Actors, mirror: SimulatedMirror, fail: (what: string, when?: boolean) => void): void {
  const { key } = actors.simulatedWorld.keys[mirror.index]!;
  const log = mirror.log.join("\n");
  fail("I30 the key is in the log", log.includes(key));
  fail("I30 a text is in the log", /mark \d+; written|line \d+ of document/.test(log));
  fail("I30 the key is in the state", mirror.stateBytes().includes(key));
}
