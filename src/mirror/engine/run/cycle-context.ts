/** Input of a cycle, the data that its effects share, and its end. */

import type { DirId, DocId } from "../../../contract/ids.ts";
import type { FileWithContent } from "../../../contract/resources.ts";
import type { Outcome } from "../../model/action.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { Block } from "../../model/record.ts";
import type { LocalPath, RemotePath } from "../../../contract/path.ts";
import type { Plan, PlanInput } from "../../planner/plan-types.ts";
import type { Reason } from "../../planner/verdict/stops.ts";
import type { OnText } from "../../ports/disk.ts";
import type { Fault, RemoteTraits } from "../../ports/remote.ts";
import type { BaseTree, LocalTree, Trees } from "../../model/tree.ts";
import { Group } from "../journal/group.ts";
import type { KnownFacts, RemoteScan } from "../observe/observe.ts";
import type { StepEnd } from "./execute.ts";
import { type Counts, type Settings, type World, zeroCounts } from "./world.ts";

export type CycleInput = {
  /**
   * Gives the run its number at its first write: a cycle that changes nothing makes no run.
   * `begun`: the number, or null if the run has not written yet. Undefined: the run always has a
   * number.
   */
  readonly run: { readonly number: number; readonly begun?: number | null };
  readonly settings: Settings;
  /** Tally, which the cycles of one run share. Undefined: the cycle counts for itself. */
  readonly tally?: Tally;
  readonly retryRefused: boolean;
  readonly unchangedContents: ReadonlyMap<DocId, Digest> | null;
  /** True: the trees may leave out unchanged documents. Undefined: they contain all documents. */
  readonly leavesOut?: boolean;
  /** I23: nothing is written, on either side or in the state. */
  readonly dry: boolean;
  /** Observers of a daemon that watches the folder. Undefined: both sides are scanned in full. */
  readonly observers?: Observers;
  /**
   * Absences that were observed for long enough; all others wait. Used with `secondLookMs: null`.
   * Undefined: one scan is enough.
   */
  readonly absentTwice?: ReadonlySet<LocalPath>;
};

/**
 * The daemon's two scans of a cycle. They may be cheaper than full ones, and report files that are
 * still being written as unread.
 */
export type Observers = {
  local(base: BaseTree, inodesTrusted: boolean, keep: OnText): LocalTree;
  remote(base: BaseTree, trustEmpty: boolean, known: KnownFacts): Promise<RemoteScan>;
  /**
   * Moves content that was saved to a document's old path to that document. Called when no safety
   * check stops the plan.
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
      /**
       * True if the run was stopped, so that some steps may not have started. Undefined if it was
       * not.
       */
      readonly isStopped?: boolean;
      /** Reasons for which the delayed deletions will stop the sync. Undefined if they will not. */
      readonly expectedStopReasons?: readonly Reason[];
    });

/** The end of a cycle that made a plan. */
export type PlannedCycle = Extract<CycleEnd, { kind: "planned" }>;

/** The approval under which a workspace counts as emptied although no known document is visible. */
export const APPROVE_EMPTY = "wrong-workspace";

/** The end of a write that must not be sent again unchanged. */
export type RefusedWrite = Extract<Outcome, { kind: "refused" }> & { readonly block: Block };

/**
 * Repeats of an action that achieved nothing. `times`: how often; `isNotFound`: the service
 * answered that it does not have the target; `isOfEarlierRun`: the daemon's present run has not
 * tried it.
 */
type Futile = {
  readonly times: number;
  readonly detail: string;
  readonly isNotFound: boolean;
  readonly isOfEarlierRun?: true;
};

/** Counts of the cycles of one run. */
export type Tally = {
  readonly counts: Counts;
  /** Number of documents created so far. The first ones on a deployment are read back. */
  created: number;
  /**
   * Actions that found another state than planned, or whose result is unknown, by their key.
   */
  readonly futile: Map<string, Futile>;
  /** Requests that the service refused, by all their facts. */
  readonly refused: Map<string, RefusedWrite>;
  /**
   * Local files that got another name because the service has a document of that name: old path,
   * new path.
   */
  readonly renamedForOthers: Map<LocalPath, LocalPath>;
  /** The user's files that were renamed because a conflict copy needed their names. */
  readonly movedOutOfWay: MovedOutOfWay[];
  /**
   * Changes that the run found for the first time and that stay on their side, because the sync has
   * one direction.
   */
  readonly oneWay: Block[];
  /** True if links were sent without a target that has one now. */
  linksOpen: boolean;
  /**
   * True if the last cycle read a document in another version than its listing showed. The content
   * or the listing is out of date, and only another listing shows which.
   */
  readsOther: boolean;
  /** True if the journal has content that was sent and that a read did not find. */
  hasSent: boolean;
  /**
   * True if files with links were replaced after the last cycle scanned them and before it read
   * their links.
   */
  filesMoved: boolean;
};

/** `keptAs`: current path of the file, below the root. */
export type MovedOutOfWay = { readonly path: LocalPath; readonly keptAs: string };

/** The part of a tally that a daemon keeps for its next runs. */
export type RunMemory = Pick<Tally, "futile" | "refused">;

export function noMemory(): RunMemory {
  return { futile: new Map(), refused: new Map() };
}

export function zeroTally(): Tally {
  return {
    counts: zeroCounts(),
    created: 0,
    ...noMemory(),
    renamedForOthers: new Map(),
    movedOutOfWay: [],
    oneWay: [],
    linksOpen: false,
    readsOther: false,
    hasSent: false,
    filesMoved: false,
  };
}

/** Notes of scans and effects for later ones in the same cycle. */
type CycleNotes = {
  /** Counts of the whole run, for its report. */
  readonly counts: Counts;
  readonly tally: Tally;
  /** The scan from which the plan was made; null during recovery, before the scan. */
  local: LocalTree | null;
  /** True if the listing from which the plan was made is complete. */
  isListed: boolean;
  /** Folder ids by remote path (below the prefix), updated by the effects. */
  readonly folderIds: Map<RemotePath, DirId>;
  /**
   * Local files created or replaced in this cycle. They are fsynced and marked durable at its end,
   * or by the next cycle.
   */
  readonly toFlush: Map<DocId, LocalPath>;
  /**
   * Paths at which this cycle restored a file or folder before its plan. The user has not seen them
   * yet, so changes at these paths do not show what the user wants.
   */
  readonly returned: Set<LocalPath>;
  /** Keys of the blocks after the plan. */
  blockedKeys: ReadonlySet<string>;
  /** Folders that this cycle moved locally, in that order. */
  readonly movedLocally: { readonly from: LocalPath; readonly to: LocalPath }[];
  /** Inode keys of the folders that this cycle created locally. */
  readonly made: Set<string>;
  /**
   * Limit of conflicts in this run, and the documents whose conflict is approved. At the limit, a
   * safety check stops further conflicts. Null in a command, which has no limit.
   */
  conflictBudget: ConflictBudget | null;
  /**
   * Files that are written although somebody is working on them, because they have waited for long
   * enough; and the words for the log.
   */
  readonly waitedEnough: Map<LocalPath, string>;
  /**
   * Documents that this cycle read before the safety checks. The next read of a document takes its
   * entry and removes it. The contents are in the store.
   */
  readonly readBefore: Map<DocId, { readonly file: Omit<FileWithContent, "content">; readonly digest: Digest }>;
  /**
   * Documents that may become blank locally, according to the safety checks. Null: all may, because
   * few contents are downloaded.
   */
  mayBeEmptied: ReadonlySet<DocId> | null;
  /** Contents that a dry run has read and must not store. */
  readonly dryTexts: Map<Digest, string>;
};

export type ConflictBudget = { readonly max: number; readonly approved: ReadonlySet<DocId> };

/**
 * Context that the effects of one cycle share. Everything that changes during the cycle is in its
 * notes.
 */
export class CycleContext {
  readonly world: World;
  readonly settings: Settings;
  /** Combines commits of steps that run in parallel. */
  readonly group: Group;
  /** Knowledge about the deployment when the plan was made. */
  readonly traitsAtStart: RemoteTraits;
  readonly notes: CycleNotes;
  readonly #run: CycleInput["run"];

  constructor(world: World, { run, settings, tally = zeroTally() }: Pick<CycleInput, "run" | "settings" | "tally">) {
    this.world = world;
    this.settings = settings;
    this.group = new Group(world.state, world.disk, world.clock);
    this.traitsAtStart = world.remote.traits();
    this.notes = {
      counts: tally.counts,
      tally,
      local: null,
      isListed: true,
      folderIds: new Map(),
      toFlush: new Map(),
      returned: new Set(),
      blockedKeys: new Set(),
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

  /** Returns true if the run has this number. Does not give the run a number. */
  isThisRun(number: number): boolean {
    const { begun } = this.#run;
    return number === (begun === undefined ? this.#run.number : begun);
  }

  /**
   * Number of the run. A daemon's run gets its number when this property is read for the first
   * time.
   */
  get run(): number {
    return this.#run.number;
  }
}
