import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { ok, type Result, type Trouble } from "../../common/trouble.ts";
import { type BlockReason, hasOpenWork } from "../model/block.ts";
import { comparePaths } from "../model/by-path.ts";
import type { Block } from "../model/record.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import type { Intent } from "../ports/state.ts";
import { askStatus, NO_DAEMON } from "../daemon/control/ask.ts";
import type { DaemonStatus } from "../daemon/control/protocol.ts";
import { type RunState, makeRunState } from "../engine/run/run-state.ts";
import { type Config, readConfig } from "../settings/config.ts";
import type { LinkedPart } from "../settings/settings.ts";
import { readStateSummary, type StateSummary } from "../state/read-beside.ts";
import { admit } from "../trust/gate.ts";
import { describeAbsentMirror, type ListedMirror, listOwnMirrors } from "../trust/list.ts";
import { describeSystemError } from "./trouble.ts";

/** Status of a linked folder, read from the state file without the network, a scan or the lock. */
export type MirrorStatus = RunState & {
  readonly url: string;
  readonly remote: LinkedPart;
  readonly direction: Config["direction"];
  readonly documents: number;
  /** Size of all documents together, in bytes. */
  readonly bytes: number;
  readonly folders: number;
  /** Number of interrupted effects, which the next run completes. */
  readonly pending: number;
  /**
   * Numbers of documents that differ between the sides but need no action, by reason: in review,
   * ignored.
   */
  readonly resting: Readonly<Partial<Record<BlockReason, number>>>;
  /**
   * Paths of documents in conflict, except documents whose content was sent to review because of
   * the conflict.
   */
  readonly conflicts: readonly string[];
  /** Paths of documents in review, except documents in conflict, which need a local choice. */
  readonly reviews: readonly string[];
  /**
   * Documents of `reviews`, each with the time of the document's oldest change in review, in
   * milliseconds since the epoch. `isConflict`: true if a conflict is the reason for the review.
   */
  readonly reviewedSince: StateSummary["totals"]["reviews"];
  readonly lastRun: Omit<NonNullable<StateSummary["newestRun"]>, "summary"> | null;
};

const NEVER_SYNCED: StateSummary = {
  totals: { documents: 0, bytes: 0, folders: 0, conflicts: [], reviews: [] },
  blocks: [],
  intents: [],
  meta: new Map(),
  newestRun: null,
};

/**
 * @param dir path of a folder that has `.mdmirror/`
 * @param isBusy true if a daemon is in the middle of a run. An unfinished run or effect is then no
 * sign of a crash
 */
export async function readStatus(dir: string, isBusy: boolean): Promise<Result<MirrorStatus>> {
  const folder = join(existsSync(dir) ? realpathSync(dir) : dir, MIRROR_FOLDER);
  const config = readConfig(folder);
  if (config.kind === "trouble") return config;
  const summary = readStateSummary(folder);
  if (summary.kind !== "read" && summary.kind !== "missing")
    return (await import("./open-local.ts")).makeStateTrouble(summary);
  return ok(makeStatus(summary.kind === "read" ? summary.value : NEVER_SYNCED, config.value, isBusy));
}

function makeStatus(summary: StateSummary, { url, remote, direction }: Config, isBusy: boolean): MirrorStatus {
  const { totals, blocks, intents, meta, newestRun } = summary;
  const pathsInReview = new Set<string>(
    blocks.filter(({ reason }) => reason === "review-conflict").map(({ path }) => path),
  );
  const conflicts = totals.conflicts.filter((path) => !pathsInReview.has(path));
  const reviewedSince = totals.reviews.filter(({ path }) => !conflicts.includes(path));
  return {
    ...makeRunState({ meta: (key) => meta.get(key) ?? null, blocks, newestRun: isBusy ? null : newestRun }),
    url,
    remote,
    direction,
    documents: totals.documents,
    bytes: totals.bytes,
    folders: totals.folders,
    pending: isBusy ? 0 : intents.filter(({ intent }) => !UNCOUNTED_ROW_KINDS.has(intent.kind)).length,
    resting: countRestingBlocks(blocks),
    conflicts: conflicts.toSorted(comparePaths),
    reviews: reviewedSince.map(({ path }) => path),
    reviewedSince,
    lastRun: newestRun && pickRun(newestRun),
  };
}

/**
 * Kinds of journal rows that do not count as interrupted effects:
 * - `set-aside`: the next cycle checks the set-aside file once more
 * - `create`: if the new file is missing, mdmirror downloads it like any other new file
 * - `sent`: content that the service did not have is sent again
 */
const UNCOUNTED_ROW_KINDS: ReadonlySet<Intent["kind"]> = new Set(["set-aside", "create", "sent"]);

function countRestingBlocks(blocks: readonly Block[]): MirrorStatus["resting"] {
  const counts: Partial<Record<BlockReason, number>> = {};
  for (const { reason } of blocks) if (!hasOpenWork(reason)) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}

function pickRun({ run, kind, startedAt, endedAt }: NonNullable<MirrorStatus["lastRun"]>): MirrorStatus["lastRun"] {
  return { run, kind, startedAt, endedAt };
}

/** `daemon`: answer of the folder's daemon; null if no daemon runs. */
export type StatusReading = { readonly status: MirrorStatus; readonly daemon: DaemonStatus | null };

export type StatusOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Milliseconds in which the daemon has to answer; undefined for the usual time. */
  readonly daemonMs?: number;
  /**
   * True to refuse each folder that may not use its address, also if the configuration is wrong or
   * another user owns the folder. False to refuse only an untrusted folder.
   */
  readonly mustBeAdmitted?: boolean;
};

/**
 * Reads the status from the state file, and asks the daemon. Needs no network, scan or lock, and
 * writes nothing.
 * @param root path of a folder that has `.mdmirror/`
 * @returns trouble if the folder is untrusted or refused because of `mustBeAdmitted`, the daemon
 * answers with trouble, or the state file cannot be read
 */
export async function readFolderStatus(root: string, options: StatusOptions): Promise<Result<StatusReading>> {
  const refusal = whyNotAdmitted(root, options);
  if (refusal !== null) return { kind: "trouble", trouble: refusal };
  const daemonAnswer = await askStatus(root, options.daemonMs);
  if (daemonAnswer !== NO_DAEMON && daemonAnswer.kind === "trouble") return daemonAnswer;
  const daemon = daemonAnswer === NO_DAEMON ? null : daemonAnswer.value;
  const isBusy = daemon !== null && BUSY_PHASES.has(daemon.phase);
  const statusResult = await readStatus(root, isBusy);
  return statusResult.kind === "trouble"
    ? statusResult
    : ok({ status: addDaemonFacts(statusResult.value, daemon), daemon });
}

/** Returns the milliseconds since both sides were last found equal; null without such a time. */
export function computeAge({ syncedAt }: Pick<MirrorStatus, "syncedAt">, now: number): number | null {
  return syncedAt === null ? null : Math.max(0, now - syncedAt);
}

/**
 * Returns why mdmirror may not show the contents of a folder; null if mdmirror may. The user's
 * registry must have the folder, because another person may have created a folder with such
 * contents.
 */
function whyNotAdmitted(root: string, { env, cwd, mustBeAdmitted = false }: StatusOptions): Trouble | null {
  const config = readConfig(join(root, MIRROR_FOLDER));
  if (config.kind === "trouble") return mustBeAdmitted ? config.trouble : null;
  const admission = admit(root, config.value, { mode: "read", env, cwd });
  if (admission.kind !== "trouble") return null;
  return mustBeAdmitted || admission.trouble.code === "untrusted" ? admission.trouble : null;
}

/** Phases in which a daemon may be in the middle of a run. */
const BUSY_PHASES: ReadonlySet<string> = new Set(["observing", "applying", "silent"]);

/**
 * Adds facts that the daemon knows to the status: a newer proof that both sides are equal, and
 * whether the service can be reached.
 */
function addDaemonFacts(status: MirrorStatus, daemon: DaemonStatus | null): MirrorStatus {
  if (daemon === null) return status;
  const syncedAt = chooseLater(status.syncedAt, daemon.inSyncAsOf);
  const isOffline = daemon.phase === "waiting" && !daemon.paused && status.state !== "stopped";
  return { ...status, syncedAt, state: isOffline ? "offline" : status.state };
}

function chooseLater(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

export type FolderStatus = {
  readonly mirror: ListedMirror;
  readonly reading: Result<StatusReading>;
  readonly state: MirrorState;
};

/**
 * State of a linked folder in one word.
 * - `gone`: the folder is missing
 * - `other`: another folder is at the path
 * - `untrusted`: the user has to run `mdmirror trust` in the folder
 * - `unreadable`: the state file cannot be read, or the daemon of the folder answers with an error
 */
export type MirrorState =
  | MirrorStatus["state"]
  | Exclude<ListedMirror["place"], "present">
  | "untrusted"
  | "unreadable";

/**
 * Returns the states of all linked folders by path, including unreadable folders. `unfit`: faults
 * of the registry.
 */
export async function readAllStatuses(
  options: StatusOptions,
): Promise<{ readonly mirrors: readonly FolderStatus[]; readonly unfit: readonly string[] }> {
  const ownMirrors = listOwnMirrors(options.env);
  // The daemons are asked at the same time, because a daemon that hangs takes the whole time limit.
  const readings = ownMirrors.mirrors.map(async (mirror): Promise<FolderStatus> => {
    const reading = await readListed(mirror, options);
    return { mirror, reading, state: mirror.place === "present" ? chooseMirrorState(reading) : mirror.place };
  });
  return { mirrors: await Promise.all(readings), unfit: ownMirrors.unfit };
}

async function readListed(mirror: ListedMirror, options: StatusOptions): Promise<Result<StatusReading>> {
  if (mirror.place !== "present") return { kind: "trouble", trouble: describeAbsentMirror(mirror) };
  try {
    return await readFolderStatus(mirror.root, options);
  } catch (error) {
    return describeSystemError(mirror.root, error);
  }
}

/** Returns the state of a folder that exists at its path. */
export function chooseMirrorState(reading: Result<StatusReading>): MirrorStatus["state"] | "untrusted" | "unreadable" {
  if (reading.kind === "ok") return reading.value.status.state;
  return reading.trouble.code === "untrusted" ? "untrusted" : "unreadable";
}
