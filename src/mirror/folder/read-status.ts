import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { type BlockReason, isOpen } from "../model/block.ts";
import type { Block } from "../model/link.ts";
import type { Intent } from "../ports/state.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { type RunState, runStateOf } from "../engine/run/run-state.ts";
import { type Glance, glanceAtState } from "../state/glance.ts";
import { type Config, readConfig } from "../settings/config.ts";
import type { LinkedPart } from "../settings/settings.ts";
import type { GlanceCache } from "./glances.ts";
import { ok, type Result } from "../../common/trouble.ts";
import { comparePaths } from "../model/by-path.ts";

/** Facts about a linked folder from the state file: no network, walk or lock. */
export type MirrorStatus = RunState & {
  readonly url: string;
  readonly remote: LinkedPart;
  /** Directions that are synced. */
  readonly direction: Config["direction"];
  readonly documents: number;
  readonly folders: number;
  /** Number of interrupted effects; the next run completes them. */
  readonly pending: number;
  /**
   * Number of documents that differ and need no action, by reason: in review, or excluded by the
   * ignore rules.
   */
  readonly resting: Readonly<Partial<Record<BlockReason, number>>>;
  /**
   * Paths of documents in conflict. Left out if the content is in review because of the conflict,
   * so that each document has one state.
   */
  readonly conflicts: readonly string[];
  /** Paths of documents in review. Left out if they also need a local choice. */
  readonly reviews: readonly string[];
  /**
   * Same documents with the time of the oldest content in review, in milliseconds since the epoch.
   * `met`: true if it is in review because of a conflict.
   */
  readonly reviewedSince: Glance["survey"]["reviews"];
  readonly lastRun: {
    readonly run: number;
    readonly kind: string;
    readonly startedAt: number;
    readonly endedAt: number | null;
  } | null;
};

/** Facts about a folder that is linked but was never synced. */
const NOTHING: Glance = {
  survey: { documents: 0, folders: 0, conflicts: [], reviews: [] },
  blocks: [],
  intents: [],
  meta: new Map(),
  newestRun: null,
};

/**
 * Reads the facts about a linked folder.
 * @param dir a folder that has `.mdmirror/`
 * @param isBusy a daemon is in the middle of a run, so neither the run nor an effect is interrupted
 * @param glances for a process that reads states repeatedly
 */
export async function readStatus(
  dir: string,
  isBusy: boolean,
  glances: Pick<GlanceCache, "at"> | null = null,
): Promise<Result<MirrorStatus>> {
  const folder = join(existsSync(dir) ? realpathSync(dir) : dir, MIRROR_FOLDER);
  const config = readConfig(folder);
  if (config.kind === "trouble") return config;
  const glanced = glances === null ? glanceAtState(folder) : glances.at(folder);
  if (glanced.kind !== "read" && glanced.kind !== "missing")
    return (await import("./open-state.ts")).stateTrouble(glanced);
  return ok(statusOf(glanced.kind === "read" ? glanced.value : NOTHING, config.value, isBusy));
}

function statusOf(glance: Glance, { url, remote, direction }: Config, isBusy: boolean): MirrorStatus {
  const { survey, blocks, intents, meta, newestRun } = glance;
  const waiting = new Set<string>(blocks.filter(({ reason }) => reason === "review-conflict").map(({ path }) => path));
  const conflicts = survey.conflicts.filter((path) => !waiting.has(path));
  const reviewedSince = survey.reviews.filter(({ path }) => !conflicts.includes(path));
  return {
    ...runStateOf({ meta: (key) => meta.get(key) ?? null, blocks, newestRun: isBusy ? null : newestRun }),
    url,
    remote,
    direction,
    documents: survey.documents,
    folders: survey.folders,
    pending: isBusy ? 0 : intents.filter(({ intent }) => !IS_NO_STEP.has(intent.kind)).length,
    resting: countResting(blocks),
    conflicts: conflicts.toSorted(comparePaths),
    reviews: reviewedSince.map(({ path }) => path),
    reviewedSince,
    lastRun: newestRun === null ? null : lastRunOf(newestRun),
  };
}

/**
 * Rows that are no interrupted step: a set-aside file is always checked once more, a new file that
 * was not created is downloaded like any other, and content that was not found is sent again.
 */
const IS_NO_STEP: ReadonlySet<Intent["kind"]> = new Set(["set-aside", "create", "sent"]);

function countResting(blocks: readonly Block[]): MirrorStatus["resting"] {
  const counts: Partial<Record<BlockReason, number>> = {};
  for (const { reason } of blocks) if (!isOpen(reason)) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}

function lastRunOf({ run, kind, startedAt, endedAt }: NonNullable<Glance["newestRun"]>): MirrorStatus["lastRun"] {
  return { run, kind, startedAt, endedAt };
}
