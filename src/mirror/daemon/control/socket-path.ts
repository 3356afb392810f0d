import { lstatSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { hasMembers } from "../../../contract/json.ts";
import { CONTROL_FILE } from "../../model/mirror-folder.ts";
import { readOwnFile } from "../../state/own-files.ts";
import { isOwner, UnsafePathError } from "../../../common/unsafe-path.ts";

export type SocketPath = { readonly socket: string; readonly pid: number; readonly since: number };

const MEMBER_TYPES = { socket: "string", pid: "number", since: "number" } as const;

/**
 * Reads the file in which the daemon stored the path of its socket. Only a request shows whether
 * the daemon still listens.
 * @returns null if the file has no path, or the path cannot be trusted: the file is another user's,
 * or the path is in a folder that other users may enter
 */
export function readSocketPath(folder: string): SocketPath | null {
  let json: unknown;
  try {
    json = JSON.parse(readOwnFile(folder, CONTROL_FILE)?.bytes.toString("utf8") ?? "null");
  } catch (error) {
    if (error instanceof UnsafePathError) throw error;
    // No daemon has run, or a daemon has not finished writing the file. The folder's lock still
    // shows whether a daemon runs.
    return null;
  }
  if (!hasMembers<SocketPath>(json, MEMBER_TYPES) || !isAbsolute(json.socket) || !isPrivate(dirname(json.socket)))
    return null;
  const stat = lstatSync(json.socket, { throwIfNoEntry: false });
  return stat?.isSocket() === true && isOwner(stat.uid) ? json : null;
}

/** Returns true if only this user can enter the folder. Another user may have created it. */
export function isPrivate(folder: string): boolean {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && (stat.mode & 0o077) === 0 && isOwner(stat.uid);
}
