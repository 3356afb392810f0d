import type { DaemonStatus } from "../mirror/daemon/control/protocol.ts";
import { readFolderStatus, type StatusReading } from "../mirror/folder/status.ts";
import type { MirrorStatus } from "../mirror/folder/read-status.ts";
import type { Io } from "./command.ts";
import { complain, EXIT, EXIT_OF_STATE, type ExitCode, exitOfTrouble } from "./exit.ts";
import { findMirror, nearest } from "./find-mirror.ts";

/**
 * Prints one line for prompts and status bars (`status --short`), which run often. Waits for no
 * other process beyond a limit. Prints nothing outside of linked folders, and no name or content
 * from a folder.
 */

type Asked = {
  /** Folder or name; undefined for the nearest linked folder. */
  readonly dir: string | undefined;
  readonly json: boolean;
};

/** LIMIT: milliseconds for the daemon to answer. After that, only the state is shown. */
const DAEMON_MS = 250;

/** Counts of documents. */
type Short = {
  readonly state: MirrorStatus["state"] | "untrusted" | "unreadable";
  readonly conflicts: number;
  /** Number of other problems to fix. */
  readonly blocked: number;
  readonly waiting: number;
  readonly reviews: number;
  /** State of the daemon. `silent`: a daemon is running and does not answer. */
  readonly daemon: "none" | "running" | "paused" | "silent";
  /** Last time both sides were proven equal, in milliseconds since the epoch; null if never. */
  readonly inSyncAsOf: number | null;
};

export async function printShortStatus(io: Io, { dir, json }: Asked): Promise<ExitCode> {
  // A prompt runs in any folder, so a folder that is not linked is no error to report.
  if (dir === undefined && nearest(io, io.cwd).root === null) return EXIT.usage;
  const root = findMirror(io, dir);
  if (root.kind === "trouble") return complain(io, root.trouble);
  const look = await readFolderStatus(root.value, { env: io.env, cwd: io.cwd, daemonMs: DAEMON_MS, isStrict: true });
  const short = shortOf(look);
  io.out(json ? JSON.stringify(short) : wordsOf(short).join(" "));
  return look.kind === "seen" ? EXIT_OF_STATE[look.status.state] : exitOfTrouble(look.trouble);
}

function shortOf(look: StatusReading): Short {
  if (look.kind === "unseen") {
    const state = look.trouble.code === "untrusted" ? "untrusted" : "unreadable";
    return { state, conflicts: 0, blocked: 0, waiting: 0, reviews: 0, daemon: "none", inSyncAsOf: null };
  }
  const { state, attention, conflicts, reviews, syncedAt } = look.status;
  const inConflict = new Set(conflicts);
  return {
    state,
    conflicts: conflicts.length,
    blocked: attention.filter(({ path, waits }) => !waits && !inConflict.has(path)).length,
    waiting: attention.filter(({ waits }) => waits).length,
    reviews: reviews.length,
    daemon: daemonWord(look.daemon),
    inSyncAsOf: syncedAt,
  };
}

function daemonWord(daemon: DaemonStatus | null): Short["daemon"] {
  if (daemon === null) return "none";
  if (daemon.phase === "silent") return "silent";
  return daemon.paused ? "paused" : "running";
}

const COUNTS = ["conflicts", "blocked", "waiting", "reviews"] as const;

/**
 * Returns the state, then every count above zero, in this order. Names the daemon if it does not
 * sync.
 */
function wordsOf(short: Short): readonly string[] {
  const counts = COUNTS.flatMap((name) => (short[name] === 0 ? [] : [`${name}:${short[name]}`]));
  const stands = short.daemon === "paused" || short.daemon === "silent";
  return [short.state, ...counts, ...(stands ? [short.daemon] : [])];
}
