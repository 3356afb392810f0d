/** Input of a cycle, the data that its effects share, and its result. */

import type { DirId, DocId } from "../../../contract/ids.ts";
import type { FileWithContent } from "../../../contract/resources.ts";
import type { Outcome } from "../../model/action.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { Block } from "../../model/record.ts";
import type { LocalPath, RemotePath } from "../../../contract/path.ts";
import type { Plan, PlanInput } from "../../planner/plan-types.ts";
import type { Reason } from "../../planner/verdict/stops.ts";
import type { StoreContent } from "../../ports/disk.ts";
import type { Fault, RemoteTraits } from "../../ports/remote.ts";
import type { BaseTree, LocalTree, Trees } from "../../model/tree.ts";
import { CommitGroup } from "../journal/group.ts";
import type { KnownRemoteFacts, RemoteScan } from "../observe/observe.ts";
import type { StepEnd } from "./execute.ts";
import { type Counts, type Settings, type World, makeZeroCounts } from "./world.ts";

export type CycleInput = {
  /**
   * Run of the cycle. Reading `number` gives the run its number, so a run that changes nothing gets
   * none. `begun` is the number, or null if the run has none yet; undefined if the run always has a
   * number.
   */
  readonly run: { readonly number: number; readonly begun?: number | null };
  readonly settings: Settings;
  /** Tally that the cycles of one run share; undefined if the cycle starts its own. */
  readonly tally?: RunTally;
  readonly retryRefused: boolean;
  readonly unchangedContents: ReadonlyMap<DocId, Digest> | null;
  /** True if the trees may leave out unchanged documents. */
  readonly leavesOut?: boolean;
  /** True for a preview: nothing is written, neither on a side nor in the state (I23). */
  readonly dry: boolean;
  /** Observers of a daemon that watches the folder; undefined if both sides are scanned in full. */
  readonly observers?: DaemonObservers;
  /**
   * Local paths that were absent for long enough to count as deleted; a deletion at another path
   * waits. Used with `secondLookMs: null`. Undefined if one scan is enough.
   */
  readonly absentTwice?: ReadonlySet<LocalPath>;
};

/**
 * Scans of the two sides by a daemon. They may read less than full scans. Files that are still
 * being written count as unread.
 */
export type DaemonObservers = {
  local(base: BaseTree, inodesTrusted: boolean, keep: StoreContent): LocalTree;
  remote(base: BaseTree, trustEmpty: boolean, known: KnownRemoteFacts): Promise<RemoteScan>;
  /**
   * Moves content that a program saved to a document's old path to the document's new path. Called
   * if no safety check stops the plan.
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
       * True if the run was stopped, so that some steps may not have started; otherwise false or
       * undefined.
       */
      readonly isStopped?: boolean;
      /**
       * Reasons for which the delayed deletions will stop the sync later; undefined if they will
       * not.
       */
      readonly expectedStopReasons?: readonly Reason[];
    });

/** Result of a cycle that made a plan. */
export type PlannedCycle = Extract<CycleEnd, { kind: "planned" }>;

/** Name of the approval that lets a workspace without any known document count as emptied. */
export const APPROVE_EMPTY = "wrong-workspace";

/** Outcome of a refused write that must not be sent again unchanged. */
export type RefusedWrite = Extract<Outcome, { kind: "refused" }> & { readonly block: Block };

/**
 * An action that achieved nothing. `times` is the number of attempts. `isNotFound` is true if the
 * service answered that it does not have the target. `isOfEarlierRun` is true if the daemon's
 * current run has not tried the action.
 */
type FutileAction = {
  readonly times: number;
  readonly detail: string;
  readonly isNotFound: boolean;
  readonly isOfEarlierRun?: true;
};

/** Counts and notes that the cycles of one run share. */
export type RunTally = {
  readonly counts: Counts;
  /**
   * Number of documents created on the service so far. The first ones are read again after their
   * POST.
   */
  created: number;
  /**
   * Actions that found another state than planned, or whose result is unknown, by the key of the
   * action.
   */
  readonly futile: Map<string, FutileAction>;
  /** Refused requests, by a string that identifies the request (`WriteRequest.facts`). */
  readonly refused: Map<string, RefusedWrite>;
  /**
   * New paths of local files by their old path. They were renamed because the service has another
   * document with that name.
   */
  readonly renamedForOthers: Map<LocalPath, LocalPath>;
  /** User's files that were moved away because a conflict copy needed their path. */
  readonly movedOutOfWay: MovedOutOfWay[];
  /**
   * Changes found for the first time that stay on their side, because the sync has one direction.
   */
  readonly oneWay: Block[];
  /**
   * True if content was sent with links whose target did not exist on the service then, but does
   * now.
   */
  linksOpen: boolean;
  /**
   * True if the last cycle read another version of a document than the listing had. The listing or
   * the answer is out of date; only another listing shows which.
   */
  readsOther: boolean;
  /**
   * True if the journal has content that was sent without an answer, and that a read did not find.
   */
  hasSent: boolean;
  /**
   * True if files with links were replaced between the last cycle's scan and its reading of their
   * links.
   */
  filesMoved: boolean;
};

/** A file that was moved away. `keptAs` is its current path, relative to the linked folder. */
export type MovedOutOfWay = { readonly path: LocalPath; readonly keptAs: string };

/** Parts of a tally that a daemon keeps from run to run. */
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

/** Notes of a cycle that its later scans and effects use. */
type CycleNotes = {
  /** Counts of the whole run, for its report. */
  readonly counts: Counts;
  readonly tally: RunTally;
  /** Local scan from which the plan was made; null before the scan, during recovery. */
  local: LocalTree | null;
  /** True if the listing from which the plan was made is complete. */
  isListed: boolean;
  /**
   * Ids of folders by their path on the service (relative to the prefix). Effects keep them up to
   * date.
   */
  readonly folderIds: Map<RemotePath, DirId>;
  /**
   * Local files that this cycle created or replaced. They are flushed and marked as durable at its
   * end, or by the next cycle.
   */
  readonly toFlush: Map<DocId, LocalPath>;
  /**
   * Paths of files and folders that this cycle restored before its plan. The user has not seen them
   * yet, so a difference at these paths does not show what the user wants.
   */
  readonly returned: Set<LocalPath>;
  /** Keys of the blocks that the plan leaves. */
  blockedKeys: ReadonlySet<string>;
  /** Folders that this cycle moved locally, in the order of their moves. */
  readonly movedLocally: { readonly from: LocalPath; readonly to: LocalPath }[];
  /** Inode keys of the folders that this cycle created locally. */
  readonly made: Set<string>;
  /**
   * Limit for the conflicts of this run, and the documents whose conflict is approved; null without
   * a limit, as in a command. At the limit, a safety check stops further conflicts.
   */
  conflictBudget: ConflictBudget | null;
  /**
   * Files that are written although somebody is working on them, because the write has waited long
   * enough. Each value is a clause for the log.
   */
  readonly waitedEnough: Map<LocalPath, string>;
  /**
   * Documents that this cycle read before the safety checks. The next read of a document uses its
   * entry and removes it. The contents are in the content store.
   */
  readonly readBefore: Map<DocId, { readonly file: Omit<FileWithContent, "content">; readonly digest: Digest }>;
  /**
   * Documents whose local file may become blank, as the safety checks have counted; null if any
   * file may, because too few are downloaded to matter.
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
  /** Group that combines the commits of parallel steps. */
  readonly group: CommitGroup;
  /** Abilities of the service, as known when the cycle began. */
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

  /** Returns true if this cycle's run has the number. Does not give the run a number. */
  isThisRun(number: number): boolean {
    const { begun } = this.#run;
    return number === (begun === undefined ? this.#run.number : begun);
  }

  /** Number of the run. A run of a daemon gets its number when this property is first read. */
  get run(): number {
    return this.#run.number;
  }
}
