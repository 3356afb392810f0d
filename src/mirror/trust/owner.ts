/**
 * Checks who owns a linked folder. mdmirror refuses another user's folder, because the owner of
 * `.mdmirror/` decides where the documents go, and the owner of the folder can replace
 * `.mdmirror/`.
 */

import { existsSync, lstatSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { CONFIG_FILE, MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { quoteForShell } from "../model/shell-word.ts";
import { examineOwnFolder } from "../state/own-files.ts";
import { effectiveUser, UnsafePathError } from "../../common/ownership.ts";
import { ok, refusal, type Result } from "../../common/trouble.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export type SudoCaller = { readonly uid: number; readonly gid: number };

type Ownership =
  | { readonly kind: "own" }
  /** The folder belongs to the user who called `sudo`, so the command continues as that user. */
  | { readonly kind: "by-sudo"; readonly caller: SudoCaller }
  | { readonly kind: "foreign"; readonly path: string; readonly uid: number };

export type OwnedPath = {
  readonly path: string;
  readonly uid: number;
  /** True if the path may also belong to root, as a mount point usually does. */
  readonly mayBelongToRoot: boolean;
};

const ROOT_UID = 0;

/**
 * Decides whether a user may work in a folder, from the owners of some paths.
 * @param user id of the effective user; null on a system without user ids, where owners are not
 * checked
 * @param caller user who ran the command with `sudo`, or null
 */
export function judgeOwners(owned: readonly OwnedPath[], user: number | null, caller: SudoCaller | null): Ownership {
  if (user === null) return { kind: "own" };
  const foreignPath = findForeignPath(owned, user);
  if (foreignPath === undefined) return { kind: "own" };
  if (user === ROOT_UID && caller !== null && findForeignPath(owned, caller.uid) === undefined)
    return { kind: "by-sudo", caller };
  return { kind: "foreign", path: foreignPath.path, uid: foreignPath.uid };
}

function findForeignPath(owned: readonly OwnedPath[], user: number): OwnedPath | undefined {
  return owned.find(({ uid, mayBelongToRoot }) => uid !== user && !(mayBelongToRoot && uid === ROOT_UID));
}

/** Returns who owns a linked folder and its `.mdmirror/`. Ignores paths that do not exist. */
export function readOwnership(root: string, env: Environment): Ownership {
  const mirror = join(root, MIRROR_FOLDER);
  const ownedPaths: OwnedPath[] = [];
  for (const path of [root, mirror]) {
    const uid = readOwner(path);
    if (uid !== null) ownedPaths.push({ path, uid, mayBelongToRoot: path === root });
  }
  return judgeOwners(ownedPaths, effectiveUser(), readSudoCaller(env));
}

/**
 * Returns the id of the user who owns a path; null if nothing is at the path. Does not follow a
 * symbolic link.
 * @throws as node:fs does
 */
function readOwner(path: string): number | null {
  try {
    return lstatSync(path).uid;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw error;
  }
}

function readSudoCaller(env: Environment): SudoCaller | null {
  const [uid, gid] = [parseId(env["SUDO_UID"]), parseId(env["SUDO_GID"])];
  return uid === null || gid === null || uid === ROOT_UID ? null : { uid, gid };
}

function parseId(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : null;
}

/**
 * Returns the linked folder above a folder; null if there is none. Another user's linked folder
 * does not count, because anybody could create one, for example in `/tmp`.
 */
export function findMirrorAbove(root: string, env: Environment): string | null {
  for (let folder = dirname(root); ; folder = dirname(folder)) {
    const isMirror = existsSync(join(folder, MIRROR_FOLDER, CONFIG_FILE));
    if (isMirror && readOwnership(folder, env).kind !== "foreign") return folder;
    if (dirname(folder) === folder) return null;
  }
}

/** @param root real path of the folder */
export function checkOwner(root: string, env: Environment): Result<null> {
  const ownership = readOwnership(root, env);
  return ownership.kind === "foreign" ? refuseForeignFolder(ownership) : ok(null);
}

export function refuseForeignFolder({
  path,
  uid,
}: Extract<Ownership, { kind: "foreign" }>): ReturnType<typeof refusal> {
  return refusal(
    `${path} belongs to user ${uid}, and this process is user ${effectiveUser()}: only the owner may sync it; nothing was sent`,
    `run mdmirror as that user; or, if the folder is yours: chown -R "$(id -u)" ${quoteForShell(path)}`,
    "foreign-owner",
  );
}

/** Returns the root if `.mdmirror/` may be opened. Commands call this before reading it. */
export function examineFolder(root: string): Result<string> {
  try {
    examineOwnFolder(join(root, MIRROR_FOLDER));
    return ok(root);
  } catch (error) {
    if (error instanceof UnsafePathError) return refusal(error.message, error.next);
    // The error is not reported yet, because the command reports the error when using the folder.
    if (error instanceof Error && "code" in error) return ok(root);
    throw error;
  }
}

export function readOwnerName(path: string): string {
  const { uid } = lstatSync(path);
  if (uid !== effectiveUser()) return `user ${uid}`;
  try {
    return `you (${userInfo().username})`;
  } catch {
    // In a container, the user database often has no entry for this user.
    return `you (user ${uid})`;
  }
}
