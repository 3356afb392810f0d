/** Chooses a short path for the daemon's socket, in a folder that no other user can enter. */

import { createHash } from "node:crypto";
import { lstatSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { CONTROL_FILE } from "../../model/mirror-folder.ts";
import { removeOwnFile, replaceOwnFile } from "../../state/own-files.ts";
import { errnoClause, ok, type Result, trouble } from "../../../common/trouble.ts";
import { isPrivate, type SocketPath } from "./socket-path.ts";

/** LIMIT: number of bytes in a socket's path, the size of `sun_path` without its final NUL. */
const MAX_PATH = { linux: 107, others: 103 } as const;

type SocketOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folders to try, in this order, instead of the system's folders. Only tests set them. */
  readonly folders?: readonly string[];
  readonly platform?: NodeJS.Platform;
};

/**
 * Chooses the socket's path, and creates its folder. Returns trouble if no folder can be used.
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
 * Creates or checks a folder. Returns null if only this user may enter it; otherwise why it cannot
 * be used.
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
 * Writes the socket's path to the file in which commands look for it.
 * @param folder absolute path of `.mdmirror`
 */
export function writeSocketPath(folder: string, place: SocketPath): void {
  replaceOwnFile(folder, CONTROL_FILE, JSON.stringify(place));
}

export function removeSocketPath(folder: string): void {
  removeOwnFile(folder, CONTROL_FILE);
}
