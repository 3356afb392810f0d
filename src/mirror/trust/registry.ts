/**
 * The user's registry of linked folders, which says which folder may send its documents to which
 * address. The registry is outside all linked folders, in `$XDG_STATE_HOME/mdmirror/mirrors` or
 * `~/.local/state/mdmirror/mirrors`. Each marker has a file of its own, so that processes for
 * different folders do not write the same file.
 * RACE: two commands change one entry at the same time, and only the later change stays. mdmirror
 * then asks the user again about the lost change.
 */

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { userInfo } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { parseObject } from "../../contract/json.ts";
import { quoteForShell } from "../model/shell-word.ts";
import { effectiveUser } from "../../common/ownership.ts";
import { systemRandom } from "../../common/random.ts";
import { makeFolders } from "../../common/make-folders.ts";
import { readErrorCode } from "../../common/trouble.ts";

export type KnownMirror = {
  readonly marker: string;
  readonly name: string;
  /** Addresses (origin and path prefix) that may receive the key and the documents. */
  readonly addresses: readonly string[];
  readonly allowHttp: readonly string[];
  /** Real paths of the folder and its copies. The folder at the first path has the entry's name. */
  readonly roots: readonly string[];
};

export type FoundMirror =
  | { readonly kind: "known"; readonly mirror: KnownMirror }
  | { readonly kind: "unknown" }
  | { readonly kind: "unfit"; readonly why: string };

/** Environment variables of this process. */
export type Environment = Readonly<Record<string, string | undefined>>;

const ENTRY_VERSION = 1;
const MARKER_FORM = /^[0-9A-Za-z_-]{1,64}$/;
/** LIMIT: number of bytes of an entry's file, so that a damaged file does not fill the memory. */
const MAX_ENTRY_BYTES = 64 * 1024;

export function locateRegistry(env: Environment): string {
  const stateHome = env["XDG_STATE_HOME"] ?? "";
  return join(isAbsolute(stateHome) ? stateHome : join(findHome(env), ".local", "state"), "mdmirror", "mirrors");
}

export function locateConfigFolder(env: Environment): string {
  const configHome = env["XDG_CONFIG_HOME"] ?? "";
  return join(isAbsolute(configHome) ? configHome : join(findHome(env), ".config"), "mdmirror");
}

/**
 * Returns HOME if that folder exists and belongs to this user; otherwise the home folder in the
 * user database. Under `sudo`, HOME may be another user's. Cron and containers may not set HOME.
 */
export function findHome(env: Environment): string {
  const homeVariable = env["HOME"] ?? "";
  const thisUser = effectiveUser();
  if (isAbsolute(homeVariable) && (thisUser === null || readOwner(homeVariable) === thisUser)) return homeVariable;
  try {
    return userInfo().homedir;
  } catch {
    // The user database has no entry for this user, for example in a container. A write to this
    // path fails, and the error says how to set another path.
    return "/nonexistent";
  }
}

function readOwner(folder: string): number | null {
  try {
    return statSync(folder).uid;
  } catch {
    // A folder that does not exist, or that this user may not enter, is not the user's home folder.
    return null;
  }
}

export function findByMarker(folder: string, marker: string): FoundMirror {
  const folderFault = findFolderFault(folder);
  if (folderFault !== null) return { kind: "unfit", why: folderFault };
  return readEntry(join(folder, `${marker}.json`), marker);
}

/** Finds the registry entry of a folder that has lost its marker, by the folder's path. */
export function findByRoot(folder: string, root: string): FoundMirror {
  const foundMirror = listMirrors(folder).mirrors.find(({ roots }) => roots.includes(root));
  return foundMirror === undefined ? { kind: "unknown" } : { kind: "known", mirror: foundMirror };
}

type MirrorList = { readonly mirrors: readonly KnownMirror[]; readonly unfit: readonly string[] };

export function listMirrors(folder: string): MirrorList {
  const folderFault = findFolderFault(folder);
  if (folderFault !== null) return { mirrors: [], unfit: [folderFault] };
  const mirrors: KnownMirror[] = [];
  const unfitEntries: string[] = [];
  const names = listFileNames(folder);
  if (typeof names === "string") return { mirrors: [], unfit: [names] };
  for (const name of names) {
    const marker = name.slice(0, -".json".length);
    if (!name.endsWith(".json") || !MARKER_FORM.test(marker)) continue;
    const foundEntry = readEntry(join(folder, name), marker);
    if (foundEntry.kind === "known") mirrors.push(foundEntry.mirror);
    if (foundEntry.kind === "unfit") unfitEntries.push(foundEntry.why);
  }
  return { mirrors, unfit: unfitEntries };
}

function listFileNames(folder: string): string[] | string {
  try {
    return readdirSync(folder).toSorted();
  } catch (error) {
    const code = readErrorCode(error);
    return code === "ENOENT" ? [] : `${folder} cannot be read (${code})`;
  }
}

/**
 * Returns a clause that says why the registry cannot be trusted; null if it can. Another user could
 * add an entry if the registry's folder or its parent folder belonged to that user or was a
 * symbolic link.
 */
function findFolderFault(folder: string): string | null {
  for (const path of [dirname(folder), folder]) {
    try {
      const stat = lstatSync(path);
      if (!stat.isDirectory()) return `${path} is not a folder`;
      const fault = findAccessFault(stat);
      if (fault !== null) return `${path} ${fault}`;
    } catch (error) {
      const code = readErrorCode(error);
      return code === "ENOENT" ? null : `${path} cannot be read (${code})`;
    }
  }
  return null;
}

export function findAccessFault({ uid, mode }: Pick<Stats, "uid" | "mode">, mayBelongToRoot = false): string | null {
  const thisUser = effectiveUser();
  if (thisUser === null) return null;
  if (uid !== thisUser && !(mayBelongToRoot && uid === 0)) return "belongs to another user";
  return (mode & 0o022) === 0 ? null : "can be written by other users";
}

type UserFile =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "absent" }
  | { readonly kind: "unfit"; readonly why: string; readonly next: string };

/**
 * Reads a file if only this user can write it.
 * @param isFollowed true to follow a symbolic link, and to accept a file that belongs to root
 */
export function readUserFile(file: string, maxBytes: number, isFollowed: boolean): UserFile {
  let fd: number;
  try {
    // With O_NONBLOCK, opening a pipe does not wait for the other end of the pipe.
    const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
    fd = openSync(file, O_RDONLY | O_NONBLOCK | (isFollowed ? 0 : O_NOFOLLOW));
  } catch (error) {
    return describeReadError(error);
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return { kind: "unfit", why: "is not a file", next: "put a file at this path" };
    const fault = findAccessFault(stat, isFollowed);
    if (fault !== null) return { kind: "unfit", why: fault, next: `chmod go-w ${quoteForShell(file)}` };
    if (stat.size > maxBytes)
      return { kind: "unfit", why: `is larger than ${maxBytes / 1024} KiB`, next: "make it smaller" };
    return { kind: "text", text: readFileSync(fd, "utf8") };
  } finally {
    closeSync(fd);
  }
}

export function describeReadError(error: unknown): Exclude<UserFile, { kind: "text" }> {
  const code = readErrorCode(error);
  if (code === "ENOENT" || code === "ENOTDIR") return { kind: "absent" };
  return { kind: "unfit", why: `cannot be read (${code})`, next: "give this user the right to read it" };
}

function readEntry(file: string, marker: string): FoundMirror {
  const readResult = readUserFile(file, MAX_ENTRY_BYTES, false);
  if (readResult.kind === "absent") return { kind: "unknown" };
  if (readResult.kind === "unfit") return { kind: "unfit", why: `${file} ${readResult.why}` };
  const mirror = parseEntry(readResult.text);
  if (mirror === "newer") return { kind: "unfit", why: `${file} was written by a newer mdmirror` };
  // On a disk that ignores case, the file may belong to another marker.
  return mirror?.marker === marker ? { kind: "known", mirror } : { kind: "unfit", why: `${file} is damaged` };
}

function parseEntry(text: string): KnownMirror | "newer" | null {
  const json = parseObject(text);
  if (json === null) return null;
  if (typeof json["version"] === "number" && json["version"] > ENTRY_VERSION) return "newer";
  if (json["version"] !== ENTRY_VERSION) return null;
  if (!Object.entries(MEMBER_CHECKS).every(([name, isFit]) => isFit(json[name]))) return null;
  const { marker, name, addresses, allowHttp, roots } = json as KnownMirror;
  return { marker, name, addresses, allowHttp, roots };
}

const MEMBER_CHECKS: Readonly<Record<keyof KnownMirror, (value: unknown) => boolean>> = {
  marker: (value) => typeof value === "string" && MARKER_FORM.test(value),
  name: (value) => typeof value === "string",
  addresses: isStrings,
  allowHttp: isStrings,
  roots: isStrings,
};

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((element) => typeof element === "string");
}

/**
 * Writes a registry entry, and creates the registry's folder if the folder is missing. Sets aside
 * an existing entry that cannot be trusted.
 * @returns a clause about the entry that was set aside, or null
 * @throws as node:fs does, or with code `EPERM` if other users may write to the folder
 */
export function writeMirror(folder: string, mirror: KnownMirror): string | null {
  makeFolders(dirname(dirname(folder)));
  makeFolders(folder, 0o700);
  const folderFault = findFolderFault(folder);
  if (folderFault !== null) throw Object.assign(new Error(folderFault), { code: "EPERM" });
  const file = join(folder, `${mirror.marker}.json`);
  const earlierEntry = readEntry(file, mirror.marker);
  const newFile = `${file}.${systemRandom().hex(16)}`;
  const entryText = `${JSON.stringify({ version: ENTRY_VERSION, ...mirror }, null, 2)}\n`;
  try {
    writeFileSync(newFile, entryText, { flag: "wx", mode: 0o600, flush: true });
    if (earlierEntry.kind === "unfit") renameSync(file, `${file}.damaged`);
    renameSync(newFile, file);
  } catch (error) {
    rmSync(newFile, { force: true });
    throw error;
  }
  return earlierEntry.kind === "unfit" ? `${earlierEntry.why}; it was set aside as ${file}.damaged` : null;
}

/**
 * Removes a registry entry. A missing entry is no error.
 * @throws as node:fs does
 */
export function removeMirror(folder: string, marker: string): void {
  rmSync(join(folder, `${marker}.json`), { force: true });
}
