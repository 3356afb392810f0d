/**
 * Path of the daemon's socket. The daemon chooses a short path in a folder that no other user can
 * enter, and stores the path in `.mdmirror`, where commands read it.
 */

import { lstatSync, mkdirSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { hasMembers } from "../../../contract/json.ts";
import { CONTROL_FILE } from "../../model/mirror-folder.ts";
import { readOwnFile, removeOwnFile, replaceOwnFile } from "../../state/own-files.ts";
import { isOwner, UnsafePathError } from "../../../common/ownership.ts";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { errnoClause, ok, type Result, trouble } from "../../../common/trouble.ts";

export type SocketPath = { readonly socket: string; readonly pid: number; readonly since: number };

const MEMBER_TYPES = { socket: "string", pid: "number", since: "number" } as const;

/**
 * Reads the file in which the daemon stored the path of its socket. Only a request to the socket
 * shows whether the daemon still listens.
 * @returns null if the file has no path, or the path cannot be trusted: another user owns the file,
 * or other users may enter the folder of the socket
 */
export function readSocketPath(folder: string): SocketPath | null {
  let json: unknown;
  try {
    json = JSON.parse(readOwnFile(folder, CONTROL_FILE)?.bytes.toString("utf8") ?? "null");
  } catch (error) {
    if (error instanceof UnsafePathError) throw error;
    // No daemon has run, or a daemon is still writing the file. The folder's lock shows whether a
    // daemon runs.
    return null;
  }
  if (!hasMembers<SocketPath>(json, MEMBER_TYPES) || !isAbsolute(json.socket) || !isPrivate(dirname(json.socket)))
    return null;
  const stat = lstatSync(json.socket, { throwIfNoEntry: false });
  return stat?.isSocket() === true && isOwner(stat.uid) ? json : null;
}

/** Returns true if only this user can enter the folder, and no other user created the folder. */
function isPrivate(folder: string): boolean {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && (stat.mode & 0o077) === 0 && isOwner(stat.uid);
}

/** LIMIT: number of bytes of a socket's path, because `sun_path` also needs a final NUL. */
const MAX_PATH = { linux: 107, others: 103 } as const;

type SocketOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folders to try in this order, in place of the system's folders. Only tests set this option. */
  readonly folders?: readonly string[];
  readonly platform?: NodeJS.Platform;
};

/**
 * Chooses the socket's path, and creates the folder of the socket. Returns trouble if no folder can
 * be used.
 * @param root real path of the linked folder
 */
export function chooseSocketPath(root: string, options: SocketOptions): Result<string> {
  const name = `${createHash("sha256").update(root).digest("hex").slice(0, 12)}.sock`;
  const faults: string[] = [];
  const { platform = process.platform } = options;
  const maxBytes = platform === "linux" ? MAX_PATH.linux : MAX_PATH.others;
  for (const folder of options.folders ?? listCandidates(options.env)) {
    const path = join(folder, name);
    if (Buffer.byteLength(path) > maxBytes) {
      faults.push(`${folder} is too long a path for a socket`);
      continue;
    }
    const fault = whyNotPrivate(folder);
    if (fault === null) return ok(path);
    faults.push(`${folder}: ${fault}`);
  }
  return trouble(
    "fault",
    `the daemon has no folder for its socket: ${faults.join("; ")}`,
    "set XDG_RUNTIME_DIR to a short path of a folder that only you can enter",
  );
}

function listCandidates(env: SocketOptions["env"]): string[] {
  const runtime = env["XDG_RUNTIME_DIR"];
  const ownFolder = `mdmirror-${process.getuid?.() ?? 0}`;
  const folders = [join(tmpdir(), ownFolder), join("/tmp", ownFolder)];
  return runtime === undefined || !isAbsolute(runtime) ? folders : [join(runtime, "mdmirror"), ...folders];
}

/**
 * Creates a folder, or checks an existing folder. Returns null if only this user may enter the
 * folder; otherwise why the folder cannot be used.
 */
function whyNotPrivate(folder: string): string | null {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") return errnoClause(error);
  }
  if (isPrivate(folder)) return null;
  const isLink = lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return isLink ? "it is a symbolic link" : "others own it or may enter it";
}

/**
 * Writes the socket's path to the file in `.mdmirror` that commands read.
 * @param folder absolute path of `.mdmirror`
 */
export function writeSocketPath(folder: string, place: SocketPath): void {
  replaceOwnFile(folder, CONTROL_FILE, JSON.stringify(place));
}

export function removeSocketPath(folder: string): void {
  removeOwnFile(folder, CONTROL_FILE);
}
