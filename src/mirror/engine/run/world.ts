import {
  cutToBytes,
  joinPath,
  type LocalPath,
  nameOf,
  parentOf,
  type RemotePath,
  isWithin,
  rebase,
} from "../../../contract/path.ts";
import type { Policy } from "../../model/policy.ts";
import type { Disk } from "../../ports/disk.ts";
import type { Remote } from "../../ports/remote.ts";
import { type RunCount, RUN_COUNTS, type EventFields, type MirrorEvent, type State } from "../../ports/state.ts";
import type { Clock } from "../../../common/clock.ts";
import type { Log, Progress, Stoppable } from "../../ports/world.ts";
import type { Random } from "../../../common/random.ts";
import type { MirrorLinks } from "../links/mirror-links.ts";

/** Adapters and facts of one linked folder. The engine depends on nothing else outside. */
export type World = {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly progress: Progress;
  /** Runs steps so that a signal can stop them; undefined if the caller cannot stop them. */
  readonly stoppable?: Stoppable;
  readonly remote: Remote;
  /** Address of the service, for the message that mdmirror could not reach the service. */
  readonly address?: string;
  readonly disk: Disk;
  readonly state: State;
  /** Called with each event when the event is recorded; undefined without a listener. */
  readonly onEvent?: (event: MirrorEvent) => void;
  /**
   * True during a rejection. The plan then ignores an approval that no run has used, so that the
   * safety check stops the same steps again.
   */
  readonly ignoresApproval?: true;
  /** Conversion of links, if `disk` converts them; undefined if links stay unchanged. */
  readonly links?: MirrorLinks;
  /** Id of the current boot of the machine; null if the system has no such ids. */
  readonly bootId: string | null;
  /**
   * Path of the linked part of the workspace, without outer slashes; "" for the whole workspace.
   */
  readonly prefix: RemotePath;
};

/** Parts of the policy that do not depend on the state or a cycle. */
export type Settings = Omit<
  Policy,
  "refusedCharacters" | "remoteFolding" | "canMoveFolders" | "canMoveToRoot" | "unchangedContents" | "absentTwice"
> & {
  /** True if content goes to review only after two runs in a row found the same content. */
  readonly reviewsOnlyUnchanged: boolean;
  /**
   * Milliseconds between the scans that prove a deletion; null if the caller watches the folder.
   */
  readonly secondLookMs: number | null;
  /** Delays for writes to files in use; undefined without delays. */
  readonly handsOff?: EditorWait;
};

export type EditorWait = {
  /** Milliseconds for which a file must be unchanged before it is overwritten; 0 for no delay. */
  readonly unchangedMs: number;
  /** Milliseconds after which a file is overwritten although it is open; 0 for no delay. */
  readonly openMs: number;
  /** True if a run may sleep until files are unchanged; otherwise the run blocks such files. */
  readonly sleeps: boolean;
};

export type Counts = Record<RunCount, number>;

export function makeZeroCounts(): Counts {
  return Object.fromEntries(RUN_COUNTS.map((count) => [count, 0])) as Counts;
}

export function toService(world: World, path: RemotePath): RemotePath {
  return rebase(path, "", world.prefix);
}

/**
 * Returns a path relative to the linked part of the workspace; null if the path is outside that
 * part.
 */
export function fromServicePath({ prefix }: World, path: RemotePath): RemotePath | null {
  return isWithin(path, prefix) ? rebase(path, prefix, "") : null;
}

export function recordEvent(world: World, run: number, fields: EventFields): void {
  const event: MirrorEvent = {
    outcome: "done",
    code: null,
    requestId: null,
    before: null,
    after: null,
    from: null,
    remoteMove: null,
    merged: null,
    ...fields,
    run,
    at: world.clock.now(),
  };
  world.state.recordEvent(event);
  world.onEvent?.(event);
}

export function makeSetAsidePath({ random }: Pick<World, "random">): string {
  return `${SET_ASIDE_PREFIX}${random.hex(16)}`;
}

/**
 * Returns true if a path below `.mdmirror/` belongs to a set-aside file that is not in the trash.
 */
export function isSetAsidePath(place: string): boolean {
  return place.startsWith(SET_ASIDE_PREFIX);
}

const SET_ASIDE_PREFIX = "tmp/park-";

type TrashWorld = Pick<World, "clock" | "random"> & { readonly disk: Pick<Disk, "names"> };

/** Returns a new path below `.mdmirror/`, such as `trash/2026-11-21/notes/plan.1a2b3c4d.md`. */
export function chooseTrashPlace(world: TrashWorld, path: LocalPath): string {
  const day = new Date(world.clock.now()).toISOString().slice(0, 10);
  const extension = path.endsWith(".md") ? ".md" : "";
  const tail = `.${world.random.hex(8)}${extension}`;
  const stem = nameOf(path).slice(0, nameOf(path).length - extension.length);
  return joinPath(
    `trash/${day}`,
    joinPath(parentOf(path), `${cutToBytes(stem, world.disk.names().maxNameBytes - tail.length)}${tail}`),
  );
}
