import { lstatSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { hasMembers } from "../../../contract/json.ts";
import { CONTROL_FILE } from "../../model/mirror-folder.ts";
import { readOwn } from "../../state/own-files.ts";
import { isOwner, UnsafePathError } from "../../../common/unsafe-path.ts";

export type SocketPath = { readonly socket: string; readonly pid: number; readonly since: number };

const MEMBER_TYPES = { socket: "string", pid: "number", since: "number" } as const;

/**
 * Reads the socket path that a daemon of this user wrote; only a request shows whether that daemon
 * still listens.
 * @returns null if there is no path, or if the path cannot be trusted. A path of another user, or
 * in a folder that others may enter, cannot be trusted.
 */
export function readSocketPath(folder: string): SocketPath | null {
  let json: unknown;
  try {
    json = JSON.parse(readOwn(folder, CONTROL_FILE)?.bytes.toString("utf8") ?? "null");
  } catch (error) {
    if (error instanceof UnsafePathError) throw error;
    // No daemon has run, or the file is incomplete. The lock still shows whether a daemon runs.
    return null;
  }
  if (!hasMembers<SocketPath>(json, MEMBER_TYPES) || !isAbsolute(json.socket) || !isPrivate(dirname(json.socket)))
    return null;
  const stat = lstatSync(json.socket, { throwIfNoEntry: false });
  return stat?.isSocket() === true && isOwner(stat.uid) ? json : null;
}

/**
 * Returns true if only this user can enter the folder. Another user may have created it first, at a
 * place where everybody may write.
 */
export function isPrivate(folder: string): boolean {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && (stat.mode & 0o077) === 0 && isOwner(stat.uid);
}
