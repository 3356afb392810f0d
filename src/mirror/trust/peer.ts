/** Finds the user at the other end of a loopback connection. */

import { readFileSync } from "node:fs";
import { endianness } from "node:os";
import { effectiveUser } from "../../common/effective-user.ts";

/** Both ends of a connection, as its server sees them. */
export type ConnectionEnds = {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
};

/**
 * User id at the other end. `unknown`: the system does not know the user. `gone`: the program has
 * closed the connection, so any user may have opened it.
 */
export type PeerUser = number | "gone" | "unknown";

/** Tables of sockets of the system: for IPv4, and for IPv6, which also has IPv4 connections. */
const TABLES = [
  { path: "/proc/net/tcp", prefix: "" },
  { path: "/proc/net/tcp6", prefix: littleOrBig("00000000") + littleOrBig("00000000") + littleOrBig("0000FFFF") },
] as const;

export function peerOf(ends: ConnectionEnds): PeerUser {
  let wasRead = false;
  for (const { path, prefix } of TABLES) {
    const table = readTable(path);
    if (table === null) continue;
    wasRead = true;
    const user = userIn(table, prefix, ends);
    if (user !== null) return user;
  }
  return wasRead ? "gone" : "unknown";
}

/**
 * Returns true if mdmirror may answer the peer: this user, or root, who has access to all files
 * anyway (a forwarded port often belongs to root). If the system does not know the user, the
 * session decides.
 */
export function isOwnPeer(peer: PeerUser, user: number | null = effectiveUser()): boolean {
  return peer === "unknown" || user === null || peer === user || peer === 0;
}

/**
 * Finds the user of the socket at the other end, whose local address is our remote address. A
 * closed socket has no inode, and root as its user.
 */
function userIn(table: string, prefix: string, ends: ConnectionEnds): number | null {
  const local = endOf(prefix, ends.remoteAddress, ends.remotePort);
  const remote = endOf(prefix, ends.localAddress, ends.localPort);
  if (local === null || remote === null) return null;
  const at = table.indexOf(` ${local} ${remote} `);
  if (at === -1) return null;
  const [, , , , , , user, , inode] = table.slice(at, table.indexOf("\n", at)).trim().split(/\s+/);
  return inode === undefined || inode === "0" ? null : Number(user);
}

/**
 * Returns an address in the form of the table, `0100007F:1F90`: each 32 bits in the machine's byte
 * order.
 */
function endOf(prefix: string, address: string | undefined, port: number | undefined): string | null {
  const parts = (address ?? "").split(".").map(Number);
  if (parts.length !== 4 || port === undefined) return null;
  const hex = parts.map((part) => part.toString(16).padStart(2, "0")).join("");
  return `${prefix}${littleOrBig(hex.toUpperCase())}:${port.toString(16).padStart(4, "0").toUpperCase()}`;
}

function littleOrBig(word: string): string {
  return endianness() === "LE" ? word.match(/../g)!.reverse().join("") : word;
}

function readTable(path: string): string | null {
  try {
    return readFileSync(path, "latin1");
  } catch {
    // The system has no such table, or hides the table.
    return null;
  }
}
