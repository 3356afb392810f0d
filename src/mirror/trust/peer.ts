import { readFileSync } from "node:fs";
import { endianness } from "node:os";
import { effectiveUser } from "../../common/effective-user.ts";

/** Finds the user at the other end of a loopback connection. */

/** A connection as its server sees it. */
export type Ends = {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
};

/**
 * `unknown`: this system does not tell. `gone`: the program has closed the connection, and could be
 * anybody's.
 */
export type Peer = number | "gone" | "unknown";

/** Tables of sockets over IPv4, and of those over IPv6 that speak it. */
const TABLES = [
  { path: "/proc/net/tcp", prefix: "" },
  { path: "/proc/net/tcp6", prefix: littleOrBig("00000000") + littleOrBig("00000000") + littleOrBig("0000FFFF") },
] as const;

export function peerOf(ends: Ends): Peer {
  let told = false;
  for (const { path, prefix } of TABLES) {
    const table = readTable(path);
    if (table === null) continue;
    told = true;
    const user = userIn(table, prefix, ends);
    if (user !== null) return user;
  }
  return told ? "gone" : "unknown";
}

/**
 * Returns true if the peer may be answered: this user, or root, who can do everything anyway (a
 * forwarded port is often root's). If the system does not tell, the session decides.
 */
export function isOwnPeer(peer: Peer, me: number | null = effectiveUser()): boolean {
  return peer === "unknown" || me === null || peer === me || peer === 0;
}

/**
 * The socket at the other end has our remote address as its local one. A socket that its program
 * has closed has no inode, and root as its user.
 */
function userIn(table: string, prefix: string, ends: Ends): number | null {
  const local = endOf(prefix, ends.remoteAddress, ends.remotePort);
  const remote = endOf(prefix, ends.localAddress, ends.localPort);
  if (local === null || remote === null) return null;
  const at = table.indexOf(` ${local} ${remote} `);
  if (at === -1) return null;
  const [, , , , , , user, , inode] = table.slice(at, table.indexOf("\n", at)).trim().split(/\s+/);
  return inode === undefined || inode === "0" ? null : Number(user);
}

/** Returns `0100007F:1F90`: each 32 bits in the machine's byte order. */
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
    // Another system, or one that hides it.
    return null;
  }
}
