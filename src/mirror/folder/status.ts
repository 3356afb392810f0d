import { existsSync } from "node:fs";
import { join } from "node:path";
import { CONTROL_FILE, MIRROR_FOLDER } from "../model/mirror-folder.ts";
import type { DaemonStatus } from "../daemon/control/protocol.ts";
import { admit } from "../trust/gate.ts";
import { readConfig } from "../settings/config.ts";
import type { Glances } from "./glances.ts";
import { type MirrorStatus, readStatus } from "./read-status.ts";
import { ok, type Result, type Trouble } from "../../common/trouble.ts";
import { askStatus, NO_DAEMON } from "../daemon/control/ask.ts";

/**
 * The state of a linked folder, from its state file and its daemon: no network, walk, lock or
 * writing.
 */
export type StatusReading =
  | { readonly kind: "seen"; readonly status: MirrorStatus; readonly daemon: DaemonStatus | null }
  /**
   * Not known as the user's (`untrusted`), trouble of its daemon, or a state that cannot be read.
   */
  | { readonly kind: "unseen"; readonly trouble: Trouble };

export type StatusOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Milliseconds that a daemon may be silent; default: the usual time. */
  readonly daemonMs?: number;
  /** True to read nothing of a folder that cannot be admitted, for whatever reason. */
  readonly isStrict?: boolean;
  /** For a process that reads states repeatedly. */
  readonly glances?: Glances;
};

/** @param root a folder that has `.mdmirror/` */
export async function readFolderStatus(root: string, options: StatusOptions): Promise<StatusReading> {
  const asked = await askFirst(root, options);
  return asked.kind === "asked" ? readAfter(root, asked, options) : asked;
}

type Asked = { readonly kind: "asked"; readonly daemon: DaemonStatus | null };

type Unasked = Extract<StatusReading, { kind: "unseen" }>;

/** First half: checks whether the folder is the user's, and asks its daemon. */
export async function askFirst(root: string, options: StatusOptions): Promise<Asked | Unasked> {
  const doubt = doubtOf(root, options);
  if (doubt !== null) return { kind: "unseen", trouble: doubt };
  const daemon = await askAny(root, options.daemonMs);
  if (daemon.kind === "trouble") return { kind: "unseen", trouble: daemon.trouble };
  return { kind: "asked", daemon: daemon.value };
}

type Glanced = { readonly glances?: Glances | null };

/** Second half: reads the state. */
export async function readAfter(
  root: string,
  { daemon }: Asked,
  { glances = null }: Glanced = {},
): Promise<StatusReading> {
  const read = await readStatus(root, daemon !== null && BUSY.has(daemon.phase), glances);
  if (read.kind === "trouble") return { kind: "unseen", trouble: read.trouble };
  return { kind: "seen", status: withDaemon(read.value, daemon), daemon };
}

/** Returns milliseconds since both sides were last proven equal; null if never. */
export function ageOf({ syncedAt }: Pick<MirrorStatus, "syncedAt">, now: number): number | null {
  return syncedAt === null ? null : Math.max(0, now - syncedAt);
}

/**
 * The folder's content was written by whoever made it: unless it is known as the user's, nothing in
 * it is shown.
 */
function doubtOf(root: string, { env, cwd, isStrict = false }: StatusOptions): Trouble | null {
  const config = readConfig(join(root, MIRROR_FOLDER));
  if (config.kind === "trouble") return isStrict ? config.trouble : null;
  const admitted = admit(root, config.value, { mode: "read", env, cwd });
  if (admitted.kind !== "trouble") return null;
  return isStrict || admitted.trouble.code === "untrusted" ? admitted.trouble : null;
}

/** Phases of a daemon's loop in which a run may be active. */
const BUSY: ReadonlySet<string> = new Set(["observing", "applying", "silent"]);

/** Asks the daemon only if its socket exists: most folders have none. */
async function askAny(root: string, deadlineMs?: number): Promise<Result<DaemonStatus | null>> {
  if (!existsSync(join(root, MIRROR_FOLDER, CONTROL_FILE))) return ok(null);
  const asking = await askStatus(root, deadlineMs);
  return asking === NO_DAEMON ? ok(null) : asking;
}

/** The daemon knows later scans than it writes down, and failed ones. */
function withDaemon(status: MirrorStatus, daemon: DaemonStatus | null): MirrorStatus {
  if (daemon === null) return status;
  const syncedAt = latest(status.syncedAt, daemon.inSyncAsOf);
  const isOffline = daemon.phase === "waiting" && !daemon.paused && status.state !== "stopped";
  return { ...status, syncedAt, state: isOffline ? "offline" : status.state };
}

function latest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}
