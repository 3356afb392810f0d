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

/** The state of a mirror, by its state file and its daemon: no network, walk, lock or writing. */
export type Look =
  | { readonly kind: "seen"; readonly status: MirrorStatus; readonly daemon: DaemonStatus | null }
  /** Not known as the user's (`untrusted`), trouble of its daemon, a state that cannot be read. */
  | { readonly kind: "unseen"; readonly trouble: Trouble };

export type LookOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** How long a daemon may be silent, in milliseconds; else the usual time. */
  readonly daemonMs?: number;
  /** Nothing is read of a folder that cannot be admitted, whatever is wrong with it. */
  readonly isStrict?: boolean;
  /** Of a process that looks again and again. */
  readonly glances?: Glances;
};

/** @param root a folder that holds `.mdmirror/` */
export async function lookAtMirror(root: string, options: LookOptions): Promise<Look> {
  const asked = await askFirst(root, options);
  return asked.kind === "asked" ? readAfter(root, asked, options) : asked;
}

type Asked = { readonly kind: "asked"; readonly daemon: DaemonStatus | null };

type Unasked = Extract<Look, { kind: "unseen" }>;

/** The first half of a look: is it the user's, and what does its daemon say. */
export async function askFirst(root: string, options: LookOptions): Promise<Asked | Unasked> {
  const doubt = doubtOf(root, options);
  if (doubt !== null) return { kind: "unseen", trouble: doubt };
  const daemon = await askAny(root, options.daemonMs);
  if (daemon.kind === "trouble") return { kind: "unseen", trouble: daemon.trouble };
  return { kind: "asked", daemon: daemon.value };
}

type Glanced = { readonly glances?: Glances | null };

/** The second half: what the state tells. */
export async function readAfter(root: string, { daemon }: Asked, { glances = null }: Glanced = {}): Promise<Look> {
  const read = await readStatus(root, daemon !== null && BUSY.has(daemon.phase), glances);
  if (read.kind === "trouble") return { kind: "unseen", trouble: read.trouble };
  return { kind: "seen", status: withDaemon(read.value, daemon), daemon };
}

/** Milliseconds since it was last proven in sync; null: it never was. */
export function ageOf({ syncedAt }: Pick<MirrorStatus, "syncedAt">, now: number): number | null {
  return syncedAt === null ? null : Math.max(0, now - syncedAt);
}

/**
 * The folder's content was written by whoever made it: unless it is known as the user's, nothing in
 * it is worth showing.
 */
function doubtOf(root: string, { env, cwd, isStrict = false }: LookOptions): Trouble | null {
  const config = readConfig(join(root, MIRROR_FOLDER));
  if (config.kind === "trouble") return isStrict ? config.trouble : null;
  const admitted = admit(root, config.value, { mode: "read", env, cwd });
  if (admitted.kind !== "trouble") return null;
  return isStrict || admitted.trouble.code === "untrusted" ? admitted.trouble : null;
}

/** The phases of a daemon's loop in which a run may be under way. */
const BUSY: ReadonlySet<string> = new Set(["observing", "applying", "silent"]);

/** Asks the daemon if its socket exists: most folders have none. */
async function askAny(root: string, deadlineMs?: number): Promise<Result<DaemonStatus | null>> {
  if (!existsSync(join(root, MIRROR_FOLDER, CONTROL_FILE))) return ok(null);
  const asking = await askStatus(root, deadlineMs);
  return asking === NO_DAEMON ? ok(null) : asking;
}

/** The daemon knows of later looks than it writes down, and of those that failed. */
function withDaemon(status: MirrorStatus, daemon: DaemonStatus | null): MirrorStatus {
  if (daemon === null) return status;
  const syncedAt = latest(status.syncedAt, daemon.inSyncAsOf);
  const isOffline = daemon.phase === "waiting" && !daemon.paused && status.state !== "stopped";
  return { ...status, syncedAt, state: isOffline ? "offline" : status.state };
}

function latest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}
