/** Input of a cycle, the data that its effects share, and its result. */
import type { DirId, DocId } from "../../../contract/ids.ts";
import type { FileWithContent } from "../../../contract/resources.ts";
import type { Action, Outcome } from "../../model/action.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { Block } from "../../model/record.ts";
import type { LocalPath, RemotePath } from "../../../contract/path.ts";
import type { Plan, PlanInput } from "../../planner/plan-types.ts";
import type { Reason } from "../../planner/verdict/stops.ts";
import type { StoreContent } from "../../ports/disk.ts";
import type { Fault, RemoteTraits } from "../../ports/remote.ts";
import type { BaseTree, LocalTree, TextLookup, Trees } from "../../model/tree.ts";
import { CommitGroup } from "../journal/group.ts";
import type { KnownRemoteFacts, RemoteScan } from "../observe/observe.ts";
import type { StepEnd } from "./execute.ts";
import { type Counts, makeZeroCounts, type Settings, type World } from "./world.ts";
import type { Policy } from "../../model/policy.ts";

export type CycleInput = {
  /**
   * Run of the cycle.
   * - `number`: number of the run. The first read of this property creates the number, so a run
   *   that changes nothing has none.
   * - `begun`: the number, or null if the run has no number yet; undefined if the run always has a
   *   number.
   */
  readonly run: { readonly number: number; readonly begun?: number | null };
  readonly settings: Settings;
  /** Tally that the cycles of a run share; undefined to start a new tally. */
  readonly tally?: RunTally;
  readonly retryRefused: boolean;
  readonly unchangedContents: ReadonlyMap<DocId, Digest> | null;
  /** True if the trees may leave out unchanged documents. */
  readonly leavesOut?: boolean;
  /** True for a preview. A preview writes nothing, neither on a side nor in the state (I23). */
  readonly dry: boolean;
  /** Scans of a daemon that watches the folder; undefined if both sides are scanned in full. */
  readonly observers?: DaemonObservers;
  /**
   * Local paths that were absent for long enough to count as deleted; undefined if one scan is
   * enough.
   */
  readonly absentTwice?: ReadonlySet<LocalPath>;
};

/**
 * Scans by a daemon, which may read only a part of each side. Files that programs are still writing
 * count as unread.
 */
export type DaemonObservers = {
  local(base: BaseTree, inodesTrusted: boolean, keep: StoreContent): LocalTree;
  remote(base: BaseTree, trustEmpty: boolean, known: KnownRemoteFacts): Promise<RemoteScan>;
  /**
   * Moves content that a program saved to an old path to its document. Called if no safety check
   * stops the plan.
   * @returns true if files changed, so that both sides must be scanned again
   */
  redirectSaves(ctx: CycleContext, trees: Trees): boolean;
};

export type CycleEnd =
  | { readonly kind: "offline"; readonly fault: Fault }
  | (PlanInput & {
      readonly kind: "planned";
      readonly plan: Plan;
      readonly ends: readonly StepEnd[];
      /** True if the run was stopped, so some steps may not have started. */
      readonly isStopped?: boolean;
      /**
       * Reasons of the stop that is expected when the delayed deletions are due; undefined without
       * such reasons.
       */
      readonly expectedStopReasons?: readonly Reason[];
    });

export type PlannedCycle = Extract<CycleEnd, { kind: "planned" }>;

/**
 * Name of the approval that no known document is visible on the service. With this approval, the
 * documents count as deleted.
 */
export const APPROVE_EMPTY = "wrong-workspace";

/** Outcome of a refused request. The same request must not be sent again. */
export type RefusedWrite = Extract<Outcome, { kind: "refused" }> & { readonly block: Block };

/**
 * An action that achieved nothing.
 * - `times`: the number of attempts.
 * - `isNotFound`: true if the service answered that the target of the action does not exist.
 * - `isOfEarlierRun`: true if the daemon's current run has not tried the action.
 */
type FutileAction = {
  readonly times: number;
  readonly detail: string;
  readonly isNotFound: boolean;
  readonly isOfEarlierRun?: true;
};

export type RunTally = {
  readonly counts: Counts;
  /**
   * Number of documents that were created on the service. mdmirror reads the first of these
   * documents back.
   */
  created: number;
  /**
   * Actions that found another state than planned, or that have an unknown result. The key contains
   * the whole action.
   */
  readonly futile: Map<string, FutileAction>;
  /** Refused requests, which mdmirror must not repeat unchanged. Key: `facts` of the request. */
  readonly refused: Map<string, RefusedWrite>;
  /**
   * Local files that were renamed because another document has their name: old path to new path.
   */
  readonly renamedForOthers: Map<LocalPath, LocalPath>;
  /** User's files that were moved because a conflict copy needed the path. */
  readonly movedOutOfWay: MovedOutOfWay[];
  /** New changes that stay on their side, because the sync has only one direction. */
  readonly oneWay: Block[];
  /** True if content was sent with a link without a target, and the target exists now. */
  linksOpen: boolean;
  /**
   * True if the last cycle read another version of a document than the listing has. Only a new
   * listing shows the newer version.
   */
  readsOther: boolean;
  /** True if the journal has content that was sent without an answer and that no read has found. */
  hasSent: boolean;
  /**
   * True if files were replaced after the last cycle's scan and before mdmirror read their links.
   */
  filesMoved: boolean;
};

/**
 * A user's file that was moved from `path`. `keptAs`: current path of the file, relative to the
 * linked folder.
 */
export type MovedOutOfWay = { readonly path: LocalPath; readonly keptAs: string };

export type RunMemory = Pick<RunTally, "futile" | "refused">;

export function makeEmptyMemory(): RunMemory {
  return { futile: new Map(), refused: new Map() };
}

export function makeEmptyTally(): RunTally {
  return {
    counts: makeZeroCounts(),
    created: 0,
    ...makeEmptyMemory(),
    renamedForOthers: new Map(),
    movedOutOfWay: [],
    oneWay: [],
    linksOpen: false,
    readsOther: false,
    hasSent: false,
    filesMoved: false,
  };
}

type CycleNotes = {
  /** Numbers of uploads, downloads and other results in the whole run, for its report. */
  readonly counts: Counts;
  readonly tally: RunTally;
  /** Scan from which the plan was made; null before the scan, such as during recovery. */
  local: LocalTree | null;
  /** True if the listing from which the plan was made is complete. */
  isListed: boolean;
  /** Folder ids by path, relative to the linked part of the workspace. Effects update this map. */
  readonly folderIds: Map<RemotePath, DirId>;
  /**
   * Files that this cycle created or replaced, and that are flushed at the end of this or the next
   * cycle.
   */
  readonly toFlush: Map<DocId, LocalPath>;
  /**
   * Paths at which mdmirror restored files before the plan. Differences at these paths are not
   * changes by the user.
   */
  readonly returned: Set<LocalPath>;
  /** Folders that this cycle moved locally, in the order of their moves. */
  readonly movedLocally: { readonly from: LocalPath; readonly to: LocalPath }[];
  /** Inodes of the folders that this cycle created, as returned by `toInodeKey`. */
  readonly made: Set<string>;
  /**
   * Limit of new conflicts in this cycle; null without a limit. One conflict over the limit still
   * opens, so that the safety check stops the next plan.
   */
  conflictBudget: ConflictBudget | null;
  /**
   * Files in use that mdmirror writes nevertheless, because the longest delay is over. The values
   * are clauses for the log.
   */
  readonly waitedEnough: Map<LocalPath, string>;
  /**
   * Documents that this cycle read before the safety checks. The next read of such a document takes
   * the version out of this map. The contents are in the content store.
   */
  readonly readBefore: Map<DocId, { readonly file: Omit<FileWithContent, "content">; readonly digest: Digest }>;
  /**
   * Documents whose files may become blank; null if so few documents are downloaded that the number
   * of blank files cannot matter.
   */
  mayBeEmptied: ReadonlySet<DocId> | null;
  /** Contents by digest that a dry run has read and must not store. */
  readonly dryTexts: Map<Digest, string>;
};

export type ConflictBudget = { readonly max: number; readonly approved: ReadonlySet<DocId> };

/** Data that the effects of one cycle share. Only `notes` changes during the cycle. */
export class CycleContext {
  readonly world: World;
  readonly settings: Settings;
  readonly group: CommitGroup;
  /** Capabilities of the service, as known at the beginning of the cycle. */
  readonly traitsAtStart: RemoteTraits;
  readonly notes: CycleNotes;
  readonly #run: CycleInput["run"];

  constructor(
    world: World,
    { run, settings, tally = makeEmptyTally() }: Pick<CycleInput, "run" | "settings" | "tally">,
  ) {
    this.world = world;
    this.settings = settings;
    this.group = new CommitGroup(world.state, world.disk, world.clock);
    this.traitsAtStart = world.remote.traits();
    this.notes = {
      counts: tally.counts,
      tally,
      local: null,
      isListed: true,
      folderIds: new Map(),
      toFlush: new Map(),
      returned: new Set(),
      movedLocally: [],
      made: new Set(),
      conflictBudget: null,
      waitedEnough: new Map(),
      readBefore: new Map(),
      mayBeEmptied: null,
      dryTexts: new Map(),
    };
    this.#run = run;
  }

  /** Returns true if the run has this number. Does not create a number for the run. */
  isThisRun(number: number): boolean {
    const { begun } = this.#run;
    return number === (begun === undefined ? this.#run.number : begun);
  }

  /** Number of the run. For a daemon's run, the first read creates the number. */
  get run(): number {
    return this.#run.number;
  }
}

export function makePolicy(ctx: CycleContext, input: CycleInput, absentTwice: ReadonlySet<LocalPath> | null): Policy {
  const { reviewsOnlyUnchanged, secondLookMs, handsOff, ...settings } = input.settings;
  const traits = ctx.world.remote.traits();
  return {
    ...settings,
    refusedCharacters: traits.refusedCharacters,
    remoteFolding: traits,
    canMoveFolders: traits.folderPatch !== "no",
    // If only a part of the workspace is linked, the root of the linked folder is an ordinary
    // folder on the service.
    canMoveToRoot: ctx.world.prefix !== "" || traits.moveToRoot !== "no",
    retryRefused: input.retryRefused,
    unchangedContents: input.unchangedContents,
    absentTwice,
  };
}

/**
 * Returns a function that finds contents by digest. If links are converted, the contents have no
 * link destinations, so that the local form and the form on the service are equal.
 */
export function makeTextFinder({ world, notes }: CycleContext): TextLookup {
  const findText: TextLookup = (digest) => notes.dryTexts.get(digest) ?? world.state.text(digest);
  return world.links?.comparing(findText) ?? findText;
}

/**
 * LIMIT: number of attempts of an action that achieves nothing, while each scan shows the same
 * state. Otherwise the action would be in each new plan, for example if the service answers all
 * writes with 404. mdmirror repeats the action once after a full scan, then leaves the action to
 * the next run (I16).
 */
const MAX_TRIES = 2;

/** Returns a key with everything that the action expects. Equal keys mean equal states. */
function toActionKey(action: Action): string {
  return JSON.stringify(action);
}

/**
 * Returns true if the action has achieved nothing so often that it must not be repeated.
 * @param isListed true if the listing was complete. After an incomplete listing, one attempt is
 * enough, because the second attempt would have the same result (I08)
 */
export function isFutileRepeat({ futile }: RunTally, action: Action, isListed = true): boolean {
  return futile.size > 0 && (futile.get(toActionKey(action))?.times ?? 0) >= (isListed ? MAX_TRIES : 1);
}

export function wasFutile({ futile }: RunTally, action: Action): boolean {
  return futile.size > 0 && futile.has(toActionKey(action));
}

export function readEarlierOutcome({ futile }: RunTally, action: Action): Outcome {
  return { kind: "stale", detail: futile.get(toActionKey(action))!.detail };
}

export function noteFutileAction(
  { futile }: RunTally,
  action: Action,
  outcome: Extract<Outcome, { kind: "stale" | "uncertain" }>,
): void {
  const key = toActionKey(action);
  const { detail } = outcome;
  const isNotFound = outcome.kind === "stale" && outcome.isNotFound === true;
  futile.set(key, { times: (futile.get(key)?.times ?? 0) + 1, detail, isNotFound });
}

/**
 * Forgets, at the end of a daemon's run, the actions that the next run may try again.
 * - An action with a target that is missing on the service is kept until a complete listing in a
 *   later run. The listing of its own run is no reason to forget the action, because it was older
 *   than the service's answer (I08).
 * - Other actions do not wait for a complete listing, because a single unreadable document makes
 *   every listing incomplete.
 * @param isListed true if the listing of the run was complete
 */
export function forgetFutile({ futile }: RunMemory, isListed: boolean): void {
  for (const [key, action] of futile) {
    if (!action.isNotFound || (action.isOfEarlierRun === true && isListed)) futile.delete(key);
    else futile.set(key, { ...action, times: 1, isOfEarlierRun: true });
  }
}
