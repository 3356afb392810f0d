import { existsSync } from "node:fs";
import { join } from "node:path";
import { CONTROL_FILE, MIRROR_FOLDER } from "../model/mirror-folder.ts";
import type { DaemonStatus } from "../daemon/control/protocol.ts";
import { admit } from "../trust/gate.ts";
import { readConfig } from "../settings/config.ts";
import type { GlanceCache } from "./glances.ts";
import { type MirrorStatus, readStatus } from "./read-status.ts";
import { ok, type Result, type Trouble } from "../../common/trouble.ts";
import { askStatus, NO_DAEMON } from "../daemon/control/ask.ts";

/**
 * State of a linked folder, from its state file and its daemon. Uses no network, walk or lock, and
 * writes nothing.
 */
export type StatusReading =
  | { readonly kind: "seen"; readonly status: MirrorStatus; readonly daemon: DaemonStatus | null }
  /**
   * The state is not read: the folder is `untrusted`, its daemon has an error, or the state cannot
   * be read.
   */
  | { readonly kind: "unseen"; readonly trouble: Trouble };

export type StatusOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Milliseconds for the daemon to answer; default: the usual time. */
  readonly daemonMs?: number;
  /** True to read nothing of a folder that is not admitted, for any reason. */
  readonly isStrict?: boolean;
  /** Cache of summaries, for a process that reads states repeatedly. */
  readonly glances?: GlanceCache;
};

/**
 * Reads the state of a linked folder.
 * @param root a folder that has `.mdmirror/`
 */
export async function readFolderStatus(root: string, options: StatusOptions): Promise<StatusReading> {
  const asked = await askDaemonForStatus(root, options);
  return asked.kind === "asked" ? readStatusFromState(root, asked, options) : asked;
}

type Asked = { readonly kind: "asked"; readonly daemon: DaemonStatus | null };

type Unasked = Extract<StatusReading, { kind: "unseen" }>;

/**
 * Checks whether the folder belongs to the user, and asks its daemon: the first half of reading the
 * state.
 */
export async function askDaemonForStatus(root: string, options: StatusOptions): Promise<Asked | Unasked> {
  const doubt = doubtOf(root, options);
  if (doubt !== null) return { kind: "unseen", trouble: doubt };
  const daemon = await askAny(root, options.daemonMs);
  if (daemon.kind === "trouble") return { kind: "unseen", trouble: daemon.trouble };
  return { kind: "asked", daemon: daemon.value };
}

type Glanced = { readonly glances?: GlanceCache | null };

/** Reads the state file: the second half. */
export async function readStatusFromState(
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
 * Returns why nothing of a folder may be shown. Whoever created the folder wrote its content, so
 * the folder must be known as the user's.
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

/**
 * Returns the status with what the daemon knows. The daemon knows of later scans than it stores,
 * and of scans that failed.
 */
function withDaemon(status: MirrorStatus, daemon: DaemonStatus | null): MirrorStatus {
  if (daemon === null) return status;
  const syncedAt = latest(status.syncedAt, daemon.inSyncAsOf);
  const isOffline = daemon.phase === "waiting" && !daemon.paused && status.state !== "stopped";
  return { ...status, syncedAt, state: isOffline ? "offline" : status.state };
}

function latest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}
