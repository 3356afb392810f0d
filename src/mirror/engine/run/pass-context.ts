import type { DirId, DocId } from "../../../contract/ids.ts";
import type { FileWithContent } from "../../../contract/resources.ts";
import type { Outcome } from "../../model/action.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { Hold } from "../../model/link.ts";
import type { LocalPath, RemotePath } from "../../../contract/path.ts";
import type { Plan } from "../../planner/plan-types.ts";
import type { Reason } from "../../planner/verdict/stops.ts";
import type { OnText } from "../../ports/disk.ts";
import type { Fault, RemoteTraits } from "../../ports/remote.ts";
import type { BaseTree, LocalTree, Trees } from "../../model/tree.ts";
import { Group } from "../journal/group.ts";
import type { RemoteLook } from "../observe/observe.ts";
import type { StepEnd } from "./execute.ts";
import { type Counts, type Settings, type World, zeroCounts } from "./world.ts";

/** What a pass is given, what its effects share, and how it ends. */

export type PassInput = {
  /**
   * Gives the run its number when something is first written: a pass that finds nothing makes no
   * run. `begun`: the number, where it has one; left out: it has.
   */
  readonly run: { readonly number: number; readonly begun?: number | null };
  readonly settings: Settings;
  /** Shared by the passes of one run. */
  readonly counts: Counts;
  /** Shared likewise. Left out: the pass counts for itself. */
  readonly tally?: Tally;
  readonly retryRefused: boolean;
  readonly quietTexts: ReadonlyMap<DocId, Digest> | null;
  /** I23: nothing is written, on either side or in the state. */
  readonly dry: boolean;
  /** How to look, when the daemon has been watching. Left out: both sides are looked at in full. */
  readonly observers?: Observers;
  /**
   * Used with `secondLookMs: null`: the absences that were watched long enough; all others wait.
   * Left out: one look is enough.
   */
  readonly absentTwice?: ReadonlySet<LocalPath>;
};

/**
 * The two looks of a pass as the daemon makes them: they may be cheaper, and call unseen what is
 * still being written.
 */
export type Observers = {
  local(base: BaseTree, inodesTrusted: boolean, keep: OnText): LocalTree;
  remote(base: BaseTree, trustEmpty: boolean): Promise<RemoteLook>;
  /**
   * Moves texts that were saved to an old path of a document to that document. Called when no
   * safety check stops the plan.
   * @returns whether files changed, so that both sides are to be looked at again
   */
  redirectSaves(ctx: PassContext, trees: Trees): boolean;
};

export type PassEnd =
  | { readonly kind: "offline"; readonly fault: Fault }
  | {
      readonly kind: "planned";
      readonly plan: Plan;
      readonly trees: Trees;
      readonly ends: readonly StepEnd[];
      /** Somebody stopped it, so that some steps may not have been begun. Left out: nobody did. */
      readonly isStopped?: boolean;
      /** Why the deletions that still wait will stop the mirror. Left out: they will not. */
      readonly foreseen?: readonly Reason[];
    };

/** The end of a pass that got as far as a plan. */
export type Planned = Extract<PassEnd, { kind: "planned" }>;

/**
 * The approval under which a workspace counts as emptied although nothing known is visible in it.
 */
export const APPROVE_EMPTY = "wrong-workspace";

/** The end of a write that is not to be sent again as it was. */
export type Refused = Extract<Outcome, { kind: "refused" }> & { readonly hold: Hold };

/** What the passes of one run count for themselves. */
export type Tally = {
  /** Documents created so far: the first ones of a deployment are read back. */
  created: number;
  /** PUTs answered `invalid_base_change` on a base that was read and is still the live one. */
  refusedBases: number;
  /**
   * Actions that found something else than planned, or whose end is not known, by their key: how
   * often, and what they met last.
   */
  readonly vain: Map<string, { readonly times: number; readonly detail: string }>;
  /** Requests that the service refused, by all that they asked for; a daemon's of all its runs. */
  readonly refused: Map<string, Refused>;
  /** Local names that were changed in favour of the service's: from where, to where. */
  readonly gaveWay: Map<LocalPath, LocalPath>;
  /** Files of the user's own that made way for what the run had to show there. */
  readonly madeWay: MadeWay[];
  /** Whether links were sent that led nowhere then, and lead somewhere now. */
  linksOpen: boolean;
  /**
   * Whether the last pass read a document in another version than its list showed: one of the two
   * is old, and only another list tells that it was the list.
   */
  readsOther: boolean;
  /** Whether a write was sent whose end no answer told, and which a read did not find. */
  hasUnfound: boolean;
  /** Whether files with links were replaced between the last pass's walk and their reading. */
  filesMoved: boolean;
};

/** `keptAs`: where the file is now, below the root. */
export type MadeWay = { readonly path: LocalPath; readonly keptAs: string };

export function zeroTally(): Tally {
  const maps = { vain: new Map(), refused: new Map(), gaveWay: new Map() };
  return {
    created: 0,
    refusedBases: 0,
    ...maps,
    madeWay: [],
    linksOpen: false,
    readsOther: false,
    hasUnfound: false,
    filesMoved: false,
  };
}

/** What looks and effects of one pass leave for later ones; dropped with the pass. */
type PassNotes = {
  /** Of the whole run: what its report counts. */
  readonly counts: Counts;
  /** Of the whole run. */
  readonly tally: Tally;
  /** The walk that the plan was made of; null during recovery, before it. */
  local: LocalTree | null;
  /** Whether the listing that the plan was made of came to its end. */
  isListed: boolean;
  /** Whether files that base does not know may be torn by a power loss. */
  mayHaveTorn: boolean;
  /** Folder ids by remote path (below the prefix), kept in step with the effects. */
  readonly folderIds: Map<RemotePath, DirId>;
  /**
   * Local files made or replaced in this pass: they are fsynced and marked durable at its end, or
   * by the next one.
   */
  readonly toFlush: Map<DocId, LocalPath>;
  /**
   * Paths to which this pass brought something back before its plan. Their user has not seen them
   * there, so what is done about them is no sign of what the user wants.
   */
  readonly returned: Set<LocalPath>;
  /** The keys of the plan's holds. */
  held: ReadonlySet<string>;
  /** Folders that this pass moved locally, in the order in which that was done. */
  readonly movedHere: { readonly from: LocalPath; readonly to: LocalPath }[];
  /** Inode keys of the linked folders that this pass made here. */
  readonly made: Set<string>;
  /**
   * How many conflicts may be opened before a guard asks, and the documents whose conflict was
   * approved. null: no limit (by hand).
   */
  conflictBudget: ConflictBudget | null;
  /**
   * Files that are written over although somebody has them in hand, as they have waited enough; and
   * what is said of that.
   */
  readonly waitedEnough: Map<LocalPath, string>;
  /**
   * Documents that were read before the plan was judged, each for one more use. Their texts are in
   * the store.
   */
  readonly readBefore: Map<DocId, { readonly file: Omit<FileWithContent, "content">; readonly digest: Digest }>;
  /**
   * Documents that may become blank locally, as the safety checks judged them. null: any may, since
   * so few texts are brought here.
   */
  mayEmpty: ReadonlySet<DocId> | null;
  /** Texts that a dry run has read: it must not store them. */
  readonly dryTexts: Map<Digest, string>;
};

export type ConflictBudget = { readonly most: number; readonly approved: ReadonlySet<DocId> };

/** What the effects of one pass share. All that changes during the pass is in its notes. */
export class PassContext {
  readonly world: World;
  readonly settings: Settings;
  /** Joins commits of steps that run side by side. */
  readonly group: Group;
  /** What was known about the deployment when the plan was made. */
  readonly traitsAtStart: RemoteTraits;
  readonly notes: PassNotes;
  readonly #run: PassInput["run"];

  constructor(
    world: World,
    {
      run,
      settings,
      counts,
      tally,
    }: Pick<PassInput, "run" | "settings"> & Partial<Pick<PassInput, "counts" | "tally">>,
  ) {
    this.world = world;
    this.settings = settings;
    this.group = new Group(world.state, world.disk, world.clock);
    this.traitsAtStart = world.remote.traits();
    this.notes = {
      counts: counts ?? zeroCounts(),
      tally: tally ?? zeroTally(),
      local: null,
      isListed: true,
      mayHaveTorn: false,
      folderIds: new Map(),
      toFlush: new Map(),
      returned: new Set(),
      held: new Set(),
      movedHere: [],
      made: new Set(),
      conflictBudget: null,
      waitedEnough: new Map(),
      readBefore: new Map(),
      mayEmpty: null,
      dryTexts: new Map(),
    };
    this.#run = run;
  }

  /** Whether this run has that number; asking gives it none. */
  isThisRun(number: number): boolean {
    const { begun } = this.#run;
    return number === (begun === undefined ? this.#run.number : begun);
  }

  /** The run's number, which a daemon's run gets when this is first asked for. */
  get run(): number {
    return this.#run.number;
  }
}
