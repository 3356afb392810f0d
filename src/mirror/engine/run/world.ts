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
import { type Count, COUNTS, type EventFields, type MirrorEvent, type State } from "../../ports/state.ts";
import type { Clock } from "../../../common/clock.ts";
import type { Log, Progress, Stoppable } from "../../ports/world.ts";
import type { Random } from "../../../common/random.ts";
import type { MirrorLinks } from "../links/mirror-links.ts";

/** The adapters and settings of one linked folder: all outside dependencies of the engine. */
export type World = {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly progress: Progress;
  /** Runner of the steps of a plan. Undefined: the steps cannot be stopped. */
  readonly stoppable?: Stoppable;
  readonly remote: Remote;
  /** Address of the service, for the message that the service was not reached. */
  readonly address?: string;
  readonly disk: Disk;
  readonly state: State;
  /** Receives each event when it is recorded. Undefined if there is no listener. */
  readonly onEvent?: (event: MirrorEvent) => void;
  /** True for a plan in which steps count as stopped although they are approved. */
  readonly ignoresApproval?: true;
  /** Set if links are converted, which `disk` then does. Undefined: content stays unchanged. */
  readonly links?: MirrorLinks;
  /** Id of this boot of the machine; null if the system has none. */
  readonly bootId: string | null;
  /**
   * Path of the linked subtree in the workspace, without slashes at its ends; "" is the whole
   * workspace.
   */
  readonly prefix: RemotePath;
};

/** The part of the policy that does not come from the state or from one cycle. */
export type Settings = Omit<
  Policy,
  "refusedCharacters" | "remoteFolding" | "canMoveFolders" | "canMoveToRoot" | "unchangedContents" | "absentTwice"
> & {
  /**
   * True if the content of protected documents goes to review only if it was the same in the run
   * before (`sync` without a terminal).
   */
  readonly reviewsOnlyUnchanged: boolean;
  /**
   * Milliseconds between the two scans of a local absence; null if one scan is enough (the caller
   * has watched the path).
   */
  readonly secondLookMs: number | null;
  /**
   * Times for which files that somebody is working on are not written. Undefined: such files are
   * written.
   */
  readonly handsOff?: EditorWait;
};

/** Times for which a write waits for an editor, in milliseconds. */
export type EditorWait = {
  /** A file that changed within this time is not overwritten; 0: it may be overwritten. */
  readonly unchangedMs: number;
  /**
   * Longest time for which a file is not written because a program has it open; 0: the file is
   * written immediately.
   */
  readonly openMs: number;
  /**
   * True if a run may sleep until files are unchanged for long enough. If not, such files are
   * blocked, and the caller runs again.
   */
  readonly sleeps: boolean;
};

export type Counts = Record<Count, number>;

export function zeroCounts(): Counts {
  return Object.fromEntries(COUNTS.map((count) => [count, 0])) as Counts;
}

/** Returns the service's path of a path below the linked subtree. */
export function toService(world: World, path: RemotePath): RemotePath {
  return rebase(path, "", world.prefix);
}

/**
 * Converts a path on the service to a path relative to the linked subtree. Returns null for a path
 * outside the subtree.
 */
export function fromService({ prefix }: World, path: RemotePath): RemotePath | null {
  return isWithin(path, prefix) ? rebase(path, prefix, "") : null;
}

export function recordEvent(world: World, run: number, fields: EventFields): void {
  const event = eventNow(world, run, fields);
  world.state.recordEvent(event);
  world.onEvent?.(event);
}

function eventNow({ clock }: World, run: number, fields: EventFields): MirrorEvent {
  return {
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
    at: clock.now(),
  };
}

/** Returns a unique path below `.mdmirror/` for a file that is set aside for a while. */
export function setAsidePath({ random }: Pick<World, "random">): string {
  return `${SET_ASIDE}${random.hex(16)}`;
}

/** Returns true if a path below `.mdmirror/` is that of a set-aside file, outside the trash. */
export function isSetAsidePath(place: string): boolean {
  return place.startsWith(SET_ASIDE);
}

const SET_ASIDE = "tmp/park-";

type TrashWorld = Pick<World, "clock" | "random"> & { readonly disk: Pick<Disk, "names"> };

/**
 * Returns a path in the trash for a removed document: readable for users, unique by its last part,
 * such as `trash/2026-11-21/notes/plan.1a2b3c4d.md`.
 */
export function trashPlace(world: TrashWorld, path: LocalPath): string {
  const day = new Date(world.clock.now()).toISOString().slice(0, 10);
  const ending = path.endsWith(".md") ? ".md" : "";
  const tail = `.${world.random.hex(8)}${ending}`;
  const stem = nameOf(path).slice(0, nameOf(path).length - ending.length);
  return joinPath(
    `trash/${day}`,
    joinPath(parentOf(path), `${cutToBytes(stem, world.disk.names().maxNameBytes - tail.length)}${tail}`),
  );
}
