import { readFileSync } from "node:fs";
import { endianness } from "node:os";
import { effectiveUser } from "../../common/ownership.ts";

/** Addresses of both ends of a connection, seen from the server. */
export type ConnectionEnds = {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
};

/**
 * Id of the user who opened a connection. `unknown`: the system does not show the user. `gone`: the
 * program has closed the connection, so that the user can no longer be found.
 */
export type PeerUser = number | "gone" | "unknown";

/** Files in which Linux lists its sockets. In the file for IPv6, IPv4 addresses have a prefix. */
const SOCKET_TABLES = [
  { path: "/proc/net/tcp", prefix: "" },
  {
    path: "/proc/net/tcp6",
    prefix: toMachineOrder("00000000") + toMachineOrder("00000000") + toMachineOrder("0000FFFF"),
  },
] as const;

export function findPeerUser(ends: ConnectionEnds): PeerUser {
  let wasRead = false;
  for (const { path, prefix } of SOCKET_TABLES) {
    const table = readTable(path);
    if (table === null) continue;
    wasRead = true;
    const user = findUserIn(table, prefix, ends);
    if (user !== null) return user;
  }
  return wasRead ? "gone" : "unknown";
}

/**
 * Returns true if mdmirror may answer a connection of this user.
 * - Root may connect, because root can read all files anyway, and often owns a forwarded port.
 * - If the system does not show the user, any connection is accepted, because the web pages also
 *   check the session.
 */
export function isOwnPeer(peer: PeerUser, user: number | null = effectiveUser()): boolean {
  return peer === "unknown" || user === null || peer === user || peer === 0;
}

/**
 * Returns the user at the other end of a connection; null if the list of sockets does not have the
 * connection. The list has a row for each end. In the row of the other end, the local address is
 * the address of that end. Ignores closed sockets, which have no inode, because the list wrongly
 * shows root as their user.
 */
function findUserIn(table: string, prefix: string, ends: ConnectionEnds): number | null {
  const localEnd = formatConnectionEnd(prefix, ends.remoteAddress, ends.remotePort);
  const remoteEnd = formatConnectionEnd(prefix, ends.localAddress, ends.localPort);
  if (localEnd === null || remoteEnd === null) return null;
  const rowStart = table.indexOf(` ${localEnd} ${remoteEnd} `);
  if (rowStart === -1) return null;
  const [, , , , , , user, , inode] = table.slice(rowStart, table.indexOf("\n", rowStart)).trim().split(/\s+/);
  return inode === undefined || inode === "0" ? null : Number(user);
}

/**
 * Returns an address in the format of /proc/net/tcp, such as `0100007F:1F90`. Each group of 32 bits
 * is in the byte order of the machine. Returns null if the address is not IPv4.
 */
function formatConnectionEnd(prefix: string, address: string | undefined, port: number | undefined): string | null {
  const addressParts = (address ?? "").split(".").map(Number);
  if (addressParts.length !== 4 || port === undefined) return null;
  const hex = addressParts.map((part) => part.toString(16).padStart(2, "0")).join("");
  return `${prefix}${toMachineOrder(hex.toUpperCase())}:${port.toString(16).padStart(4, "0").toUpperCase()}`;
}

function toMachineOrder(word: string): string {
  return endianness() === "LE" ? word.match(/../g)!.reverse().join("") : word;
}

function readTable(path: string): string | null {
  try {
    return readFileSync(path, "latin1");
  } catch {
    // The system has no list of its sockets, or a sandbox hides the list.
    return null;
  }
}
