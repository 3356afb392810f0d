import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { QUIET_REASONS } from "../core/hold.ts";
import type { HaltReason } from "../core/plan-types.ts";
import type { Clock } from "../core/ports/world.ts";
import { META } from "../engine/guard-facts.ts";
import { type Attention, attentionOfHold, type RunReport } from "../engine/report.ts";
import { MIRROR_FOLDER } from "../local/ignore.ts";
import type { StoredState } from "../state/state.ts";
import { type Config, readConfig } from "./config.ts";
import { openToRead } from "./open-state.ts";
import { ok, type Result } from "./trouble.ts";

/** What the state file tells of a mirror: no network, no walk, no lock. */
export type MirrorStatus = {
  readonly url: string;
  readonly remote: string;
  /** Milliseconds since the epoch; null: it never was. */
  readonly syncedAt: number | null;
  readonly documents: number;
  readonly folders: number;
  /** Effects that were cut off: the next run settles them. */
  readonly pending: number;
  readonly attention: readonly Attention[];
  /** Rows that wait and need nothing of the user. */
  readonly waiting: number;
  readonly conflicts: readonly string[];
  /** Documents with text in review. */
  readonly reviews: readonly string[];
  readonly halt: {
    readonly reasons: readonly { readonly reason: HaltReason; readonly detail: string }[];
    readonly approved: boolean;
  } | null;
  readonly staysLocal: RunReport["staysLocal"];
  readonly lastRun: {
    readonly run: number;
    readonly kind: string;
    readonly startedAt: number;
    readonly endedAt: number | null;
  } | null;
};

/** @param dir a folder that holds `.mdmirror/` */
export function readStatus(dir: string, clock: Clock): Result<MirrorStatus> {
  const folder = join(existsSync(dir) ? realpathSync(dir) : dir, MIRROR_FOLDER);
  const config = readConfig(folder);
  if (config.kind === "trouble") return config;
  const opened = openToRead(folder, clock, true);
  if (opened.kind === "trouble") return opened;
  const { state } = opened.value;
  try {
    return ok(statusOf(state, config.value));
  } finally {
    state.close();
  }
}

function statusOf(state: StoredState, { url, remote }: Config): MirrorStatus {
  const { documents, folders, conflicts, reviews } = state.survey();
  const holds = state.holds();
  const quiet = holds.filter(({ reason }) => QUIET_REASONS.has(reason));
  const syncedAt = state.meta(META.syncedAt);
  const halt = state.meta(META.halt);
  const kept = state.meta(META.lastReport);
  const [run] = state.runs(1);
  return {
    url,
    remote,
    syncedAt: syncedAt === null ? null : Number(syncedAt),
    documents,
    folders,
    // A parked inode is looked at once more as a matter of course: nothing was cut off.
    pending: state.intents().filter(({ intent }) => intent.kind !== "parked").length,
    attention: holds.filter(({ reason }) => !QUIET_REASONS.has(reason)).map(attentionOfHold),
    waiting: quiet.length,
    conflicts,
    reviews,
    halt: halt === null ? null : { reasons: reasonsOf(halt), approved: state.meta(META.approved) !== null },
    staysLocal: kept === null ? null : (JSON.parse(kept) as Pick<RunReport, "staysLocal">).staysLocal,
    lastRun:
      run === undefined ? null : { run: run.run, kind: run.kind, startedAt: run.startedAt, endedAt: run.endedAt },
  };
}

function reasonsOf(halt: string): NonNullable<MirrorStatus["halt"]>["reasons"] {
  return (JSON.parse(halt) as Pick<NonNullable<MirrorStatus["halt"]>, "reasons">).reasons;
}
