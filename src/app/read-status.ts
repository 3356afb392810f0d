import { join } from "node:path";
import type { HaltReason } from "../core/plan-types.ts";
import { META } from "../engine/meta.ts";
import type { Attention, RunReport } from "../engine/report.ts";
import { MIRROR_FOLDER } from "../core/mirror-folder.ts";
import { type Glance, glanceAtState } from "../state/glance.ts";
import { type Config, readConfig } from "./config.ts";
import { ok, type Result } from "./trouble.ts";

const { existsSync, realpathSync } = process.getBuiltinModule("node:fs");

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

/** A folder that is linked and was never looked at. */
const NOTHING: Glance = {
  survey: { documents: 0, folders: 0, conflicts: [], reviews: [] },
  holds: [],
  intents: [],
  meta: new Map(),
  newestRun: null,
};

/** @param dir a folder that holds `.mdmirror/` */
export async function readStatus(dir: string): Promise<Result<MirrorStatus>> {
  const folder = join(existsSync(dir) ? realpathSync(dir) : dir, MIRROR_FOLDER);
  const config = readConfig(folder);
  if (config.kind === "trouble") return config;
  const glanced = glanceAtState(folder);
  if (glanced.kind !== "read" && glanced.kind !== "missing")
    return (await import("./unfit-state.ts")).unfitState(glanced);
  return ok(await statusOf(glanced.kind === "read" ? glanced.glance : NOTHING, config.value));
}

async function statusOf(
  { survey, holds, intents, meta, newestRun }: Glance,
  { url, remote }: Config,
): Promise<MirrorStatus> {
  // What words a hold is loaded where there is one.
  const { attention, waiting } =
    holds.length === 0 ? { attention: [], waiting: 0 } : (await import("../engine/report.ts")).tellHolds(holds);
  const syncedAt = meta.get(META.syncedAt);
  const halt = meta.get(META.halt);
  const kept = meta.get(META.lastReport);
  return {
    url,
    remote,
    syncedAt: syncedAt === undefined ? null : Number(syncedAt),
    documents: survey.documents,
    folders: survey.folders,
    // A parked inode is looked at once more as a matter of course: nothing was cut off.
    pending: intents.filter(({ intent }) => intent.kind !== "parked").length,
    attention,
    waiting,
    conflicts: survey.conflicts,
    reviews: survey.reviews,
    halt: halt === undefined ? null : { reasons: reasonsOf(halt), approved: meta.has(META.approved) },
    staysLocal: kept === undefined ? null : (JSON.parse(kept) as Pick<RunReport, "staysLocal">).staysLocal,
    lastRun: newestRun === null ? null : lastRunOf(newestRun),
  };
}

function lastRunOf({ run, kind, startedAt, endedAt }: NonNullable<Glance["newestRun"]>): MirrorStatus["lastRun"] {
  return { run, kind, startedAt, endedAt };
}

function reasonsOf(halt: string): NonNullable<MirrorStatus["halt"]>["reasons"] {
  return (JSON.parse(halt) as Pick<NonNullable<MirrorStatus["halt"]>, "reasons">).reasons;
}
