/**
 * Saves documents for programs, as an editor would: without a lock, a journal entry or the network.
 * So a daemon may run at the same time. The next sync finds the change. A file is changed only if
 * it still has the content that the program read.
 */
import { countCharacters, MAX_CONTENT_CHARACTERS } from "../../../contract/limits.ts";
import { ancestorsOf, type LocalPath, parentOf } from "../../../contract/path.ts";
import { ok, refusal, type Result, trouble } from "../../../common/trouble.ts";
import { chooseTrashPlace } from "../../engine/run/world.ts";
import type { LocalDisk } from "../../local/disk.ts";
import { RulesError } from "../../local/ignore.ts";
import { OLD_FILE_PREFIX } from "../../local/write.ts";
import { readStyle } from "../../../markdown/merge/style.ts";
import { type Digest, digestOf } from "../../../contract/digest.ts";
import type { DiskOutcome } from "../../ports/disk.ts";
import type { Clock } from "../../../common/clock.ts";
import type { Random } from "../../../common/random.ts";
import { UNSYNCED_WORDS } from "../doctor/why.ts";
import { openDisk } from "../../folder/open-local.ts";

export function judgeContent(path: LocalPath, text: string): Result<null> {
  const refuse = (what: string, next: string, code: string) =>
    refusal(`the content for ${path} ${what}, which the service refuses`, next, code);
  if (!text.isWellFormed())
    return refuse("has an incomplete Unicode character", "send complete characters", "not-utf-8");
  if (text.includes("\0")) return refuse("contains NUL characters", "leave them out", "contains-nul");
  const characterCount = countCharacters(text);
  if (characterCount <= MAX_CONTENT_CHARACTERS) return ok(null);
  return refuse(
    `has ${characterCount} characters, more than ${MAX_CONTENT_CHARACTERS}`,
    "split the document",
    "too-large",
  );
}

export type SaveContext = { readonly disk: LocalDisk; readonly clock: Clock; readonly random: Random };

export type EditedDocument = { readonly path: LocalPath; readonly text: string; readonly version: Digest };

/** @param root real path of a folder of this user that has `.mdmirror/` */
export function openSaveContext(root: string, { clock, random }: Pick<SaveContext, "clock" | "random">): SaveContext {
  return { disk: openDisk(root, { random }), clock, random };
}

/** Result of a change; null if mdmirror wrote nothing, because the file had changed. */
type SaveResult<T> = Promise<Result<T | null>>;

/**
 * Checks a path that a program passed. The path may have no file yet.
 * @returns trouble if no document can have this path
 */
export function judgePath(context: SaveContext, path: string): Result<null> {
  const fault = findPathFault(path);
  if (fault !== null)
    return refusal(`${JSON.stringify(path)} ${fault}`, "give a path below the linked folder, as list does", "bad-path");
  try {
    const unsyncedReason = context.disk.whyUnsyncedAt(path);
    if (unsyncedReason === null) return ok(null);
    return refusal(
      `${path} is not a synced document: ${UNSYNCED_WORDS[unsyncedReason]}`,
      "list shows the documents",
      "not-a-document",
    );
  } catch (error) {
    if (!(error instanceof RulesError)) throw error;
    return refusal(`${path} cannot be read: ${error.message}`, "correct that ignore file", "unfit-rules");
  }
}

/**
 * LIMIT: number of characters, and number of names, in a path, because the embedded service has
 * these limits.
 */
const MAX_PATH = { characters: 4_096, names: 128 } as const;

function findPathFault(path: string): string | null {
  if (path.length > MAX_PATH.characters) return `has more than ${MAX_PATH.characters} characters`;
  if (path === "") return "is empty";
  if (!path.isWellFormed() || /\p{Cc}/u.test(path)) return "contains characters that a path cannot have";
  const names = path.split("/");
  if (names.length > MAX_PATH.names) return `has more than ${MAX_PATH.names} names`;
  if (path.startsWith("/")) return "is absolute";
  if (names.slice(0, -1).some((name) => name.toLowerCase().endsWith(".md")))
    return "is in a folder whose name ends in .md; only documents have such names";
  if (names.some((name) => name === ".." || name === "." || name === "")) return "leads out of the folder";
  return null;
}

export async function readDocument(context: SaveContext, path: LocalPath): Promise<Result<EditedDocument | null>> {
  const pathResult = judgePath(context, path);
  if (pathResult.kind === "trouble") return pathResult;
  const readResult = await retryEffect(context, path, undefined, () => context.disk.read(path));
  if (readResult.kind === "stale") return ok(null);
  if (readResult.kind === "fault") return describeDiskFault(path, readResult);
  return ok({ path, text: readResult.value.text, version: readResult.value.digest });
}

/**
 * LIMIT: number of attempts to read a file; `saving` applies while another process writes the file.
 * A program that replaces a file may remove the old file for part of a millisecond. That removal
 * must not count as a deletion.
 */
const READ_ATTEMPTS = { usual: 4, saving: 100 } as const;
const READ_AGAIN_MS = 5;

/**
 * Errors that may be gone at the next attempt. EAGAIN: the file was changing. ENOENT: the file was
 * being replaced.
 */
const TRANSIENT_ERRORS: readonly string[] = ["EAGAIN", "ENOENT"];

function mayRetry(disk: LocalDisk, path: LocalPath, end: DiskOutcome<unknown>, attempts: number): boolean {
  if (end.kind === "done" || (end.kind === "fault" && !TRANSIENT_ERRORS.includes(end.errno))) return false;
  if (attempts < READ_ATTEMPTS.usual) return true;
  return attempts < READ_ATTEMPTS.saving && (end.kind === "fault" || isBeingReplaced(disk, path));
}

function isBeingReplaced(disk: LocalDisk, path: LocalPath): boolean {
  const names = disk.namesIn(parentOf(path)) ?? [];
  return names.some(({ name }) => name.startsWith(OLD_FILE_PREFIX));
}

/** Returns the new digest; null if the file no longer had the expected content. */
export function saveText(context: SaveContext, path: LocalPath, text: string, expect: Digest): SaveResult<Digest> {
  const replaceContent = () => context.disk.saveOver(path, text, expect, chooseTrashPlace(context, path));
  return changeFile(context, { path, text, expect }, replaceContent, digestOf(text));
}

/**
 * Creates a document, and the folders above it. Returns the document's digest; null if the path is
 * taken.
 */
export function createDocument(context: SaveContext, path: LocalPath, text: string): SaveResult<Digest> {
  const createFile = () => context.disk.create(path, text);
  return changeFile(context, { path, text, expect: null }, createFile, digestOf(text));
}

/** Returns the new path; null if the path is taken, or the file has unexpected content. */
export function moveDocument(
  context: SaveContext,
  { path, to }: { readonly path: LocalPath; readonly to: LocalPath },
  expect: Digest,
): SaveResult<LocalPath> {
  return changeFile(context, { path, to, expect }, () => context.disk.move(path, to, expect), to);
}

/** Returns the path in the trash; null if the file no longer had the expected content. */
export function removeDocument(context: SaveContext, path: LocalPath, expect: Digest): SaveResult<string> {
  const trashPlace = chooseTrashPlace(context, path);
  return changeFile(context, { path, expect }, () => context.disk.trash(path, expect, trashPlace), trashPlace);
}

type FileChange = {
  readonly path: LocalPath;
  readonly to?: LocalPath;
  readonly text?: string;
  /** Digest that the file must have before the change; null if there must be no file. */
  readonly expect: Digest | null;
};

async function changeFile<T>(
  context: SaveContext,
  { path, to = path, text, expect }: FileChange,
  act: () => DiskOutcome<unknown>,
  value: T,
): SaveResult<T> {
  const contentResult = text === undefined ? ok(null) : judgeContent(path, text);
  if (contentResult.kind === "trouble") return contentResult;
  for (const one of new Set([path, to])) {
    const pathResult = judgePath(context, one);
    if (pathResult.kind === "trouble") return pathResult;
  }
  const foldersResult = to !== path || expect === null ? makeFoldersAbove(context, to) : ok(null);
  if (foldersResult.kind === "trouble") return foldersResult;
  const effectEnd = await retryEffect(context, path, expect, act);
  if (effectEnd.kind === "done") return ok(value);
  return effectEnd.kind === "stale" ? ok(null) : describeDiskFault(path, effectEnd);
}

/**
 * Calls `act`. Calls it again while another process seems to be replacing the file.
 * @param expect digest that the file must have; null if there must be no file; undefined for any
 * content
 */
async function retryEffect<T>(
  { disk, clock }: SaveContext,
  path: LocalPath,
  expect: Digest | null | undefined,
  act: () => DiskOutcome<T>,
): Promise<DiskOutcome<T>> {
  let effectEnd = act();
  for (let attempts = 1; mayRetry(disk, path, effectEnd, attempts); attempts++) {
    const atPath = disk.look(path);
    const hasOtherContent =
      atPath.kind === "file" ? atPath.digest !== expect : expect === null && atPath.kind !== "absent";
    if (hasOtherContent && expect !== undefined) return { kind: "stale", detail: "the path now has another file" };
    await clock.sleep(READ_AGAIN_MS);
    effectEnd = act();
  }
  return effectEnd;
}

/** Returns `text` with the line ends and the byte order mark of `before`. */
export function keepLineEnds(before: string, text: string): string {
  const { feed: lineEnd, hasMark } = readStyle(before);
  const withLineEnds = lineEnd === "\r\n" && !text.includes("\r") ? text.replaceAll("\n", "\r\n") : text;
  return hasMark && !withLineEnds.startsWith("\ufeff") ? `\ufeff${withLineEnds}` : withLineEnds;
}

function makeFoldersAbove(context: SaveContext, path: LocalPath): Result<null> {
  const { disk } = context;
  for (const folder of ancestorsOf(path)) {
    if (disk.look(folder).kind === "folder") continue;
    const folderResult = disk.makeFolder(folder);
    // Another process may have created the folder after mdmirror had found no folder at the path.
    if (folderResult.kind === "done" || disk.look(folder).kind === "folder") continue;
    return describeDiskFault(folder, folderResult);
  }
  return ok(null);
}

function describeDiskFault(path: LocalPath, end: Exclude<DiskOutcome<unknown>, { kind: "done" }>): Result<never> {
  const code = end.kind === "fault" ? end.errno : "not-a-folder";
  return trouble("fault", `${path} cannot be used: ${end.detail}`, "check the path, then try again", { code });
}
