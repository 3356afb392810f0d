import type { Deployment } from "../rig.ts";
import type { RamDiskOptions } from "../ram-disk.ts";

/**
 * A run as data. Each step makes its choices by its own seed and the state of the world, so that
 * any other step may be removed.
 */

/** Actions of a user in a folder, each with its relative frequency. */
export const LOCAL_ACTS = {
  create: 6,
  "write-in-place": 8,
  "save-by-rename": 8,
  "save-with-backup": 4,
  "delete-and-create": 3,
  "half-write": 3,
  touch: 2,
  rename: 6,
  "change-case": 2,
  move: 5,
  swap: 3,
  remove: 5,
  "make-folder": 2,
  "rename-folder": 4,
  "move-folder": 3,
  "remove-folder": 1,
  "remove-many": 1,
  "odd-file": 2,
  "end-conflict": 4,
  // Only in scenarios (scenarios.ts): otherwise the runs of existing seeds would change.
  rewrite: 0,
  "cut-short": 0,
  redress: 0,
  "swap-edited": 0,
  // Only in linked runs (linked.ts).
  link: 0,
  "create-linked": 0,
};
export type LocalAct = keyof typeof LOCAL_ACTS;

/** Actions of a user of the service, each with its relative frequency. */
export const APP_ACTS = {
  create: 6,
  edit: 16,
  rename: 6,
  move: 5,
  swap: 2,
  remove: 5,
  "make-folder": 2,
  "rename-folder": 4,
  "move-folder": 3,
  "remove-folder": 1,
  "remove-many": 1,
  protect: 3,
  unprotect: 2,
  accept: 4,
  reject: 2,
  link: 0,
};
export type AppAct = keyof typeof APP_ACTS;

/** Actions of a program that writes many files, reads them and waits (`watch-step.ts`). */
export const PROGRAM_ACTS = ["write-many", "read-back", "wait"] as const;
export type ProgramAct = (typeof PROGRAM_ACTS)[number];

export type Levels = "none" | "read" | "edit" | "full" | "hide-one-folder";

/** An action of a user during a sync, before the sync's port call number `at`. */
export type Intervention =
  | { readonly at: number; readonly by: "app"; readonly act: AppAct; readonly seed: number }
  | { readonly at: number; readonly by: "local"; readonly act: LocalAct; readonly seed: number };

/**
 * Moments of incidents: a request that a mirror is about to send, or a disk call about a document.
 */
export const MOMENTS = [
  /** The mirror has scanned and begins to apply its plan. The incident concerns any document. */
  "planned",
  "read",
  /** A read of a document that is not in the folder. */
  "read-absent",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  /**
   * A file is set aside for a replacement, or moved to the trash; a new file gets its name; a file
   * gets another name.
   */
  "park",
  "trash",
  "make",
  "rename",
  /** New files are flushed to the disk. */
  "flush",
] as const;
export type Moment = (typeof MOMENTS)[number];

/** Incidents: a fault of the request, a user's action on the document, or a kill of the process. */
export const INCIDENT_KINDS = [
  "not-sent",
  "lost-before",
  "lost-after",
  "late",
  "cut",
  "unavailable",
  "broken",
  "refused",
  "edited-there",
  "renamed-there",
  "removed-there",
  "edited-here",
  "back-here",
  "written-late",
  "killed",
] as const;
export type IncidentKind = (typeof INCIDENT_KINDS)[number];

/**
 * An incident at the `nth` such moment of a sync (1: the first). `calls`: port calls after that
 * moment until a kill.
 */
export type Incident = {
  readonly moment: Moment;
  readonly nth: number;
  readonly what: IncidentKind;
  readonly seed: number;
  readonly calls: number;
};

/**
 * `full`: no new bytes fit. `forbidden`: all calls about one folder are refused. `flaky`: some
 * calls fail once each. `unmounted`: an empty folder replaces the linked folder.
 */
export type DiskTrouble = "full" | "forbidden" | "flaky" | "unmounted";

export type SyncStep = {
  readonly do: "sync";
  readonly mirror: number;
  readonly seed: number;
  /** True for a manual sync, which sends refused changes again. */
  readonly retry: boolean;
  /**
   * The process is killed at this port call (1: the first). `power`: unflushed parts of the disk
   * and of the state are lost too.
   */
  readonly kill: { readonly at: number; readonly power: boolean } | null;
  /** One request in this many gets a fault; null: none does. */
  readonly storm: number | null;
  readonly trouble: DiskTrouble | null;
  readonly interventions: readonly Intervention[];
  /**
   * Before one call in about this many, a user acts on the document that the call is about
   * (`aim.ts`).
   */
  readonly aim?: number | null;
  readonly incidents?: readonly Incident[];
};

/** An action of a user, `after` milliseconds after the previous action. */
export type Act = { readonly after: number } & (
  | { readonly by: "app"; readonly act: AppAct; readonly seed: number }
  | { readonly by: "local"; readonly act: LocalAct; readonly seed: number }
  | { readonly by: "program"; readonly act: ProgramAct; readonly seed: number }
);

/** A daemon runs for a mirror, until `rest` milliseconds after the last action. */
export type WatchStep = Pick<SyncStep, "mirror" | "seed" | "kill" | "storm" | "incidents"> & {
  readonly do: "watch";
  readonly acts: readonly Act[];
  readonly rest: number;
};

export type Step =
  | SyncStep
  | WatchStep
  | { readonly do: "here"; readonly mirror: number; readonly act: LocalAct; readonly seed: number }
  | {
      readonly do: "there";
      readonly act: AppAct;
      readonly seed: number;
      /**
       * Index of a mirror: the action is about the document that the same seed chooses in its
       * folder.
       */
      readonly as?: number;
    }
  | { readonly do: "grant"; readonly mirror: number; readonly level: Levels; readonly seed: number }
  | { readonly do: "workspace"; readonly state: "open" | "closed" | "restoring" }
  | { readonly do: "backup" }
  | { readonly do: "restore-backup" }
  | { readonly do: "approve"; readonly mirror: number }
  /** Lets time pass. */
  | { readonly do: "wait"; readonly ms: number }
  /** Moves the wall clock; a negative number sets it back. */
  | { readonly do: "set-clock"; readonly ms: number };

export type MirrorSetup = {
  /** Linked folder in the root of the workspace, or "" for the whole workspace. */
  readonly prefix: string;
  readonly level: Levels;
  readonly disk: RamDiskOptions;
  readonly conflicts: "conflict-copy" | "copy";
};

export type Setup = {
  readonly mirrors: readonly MirrorSetup[];
  readonly variant: Omit<Deployment, "fault">;
  /** True if the service merges edits that are based on older versions. */
  readonly combines: boolean;
  /** Number of documents at the beginning. */
  readonly documents: number;
  /** Milliseconds by which all wall clocks are wrong. */
  readonly clockOff: number;
  /**
   * True if users keep files open in editors that show it by a swap file. Mirrors then wait for
   * these files, and for files that changed a moment ago.
   */
  readonly hands?: true;
  /**
   * Direction of the first mirror's syncs until the end of the run, when all mirrors sync both
   * ways.
   */
  readonly direction?: "pull" | "push";
  /** True if mirrors pause their work for answers in many places, as with a real clock. */
  readonly turns?: boolean;
  /**
   * True if documents link to each other, mirrors translate links, and the service refuses links
   * without a target.
   */
  readonly links?: boolean;
};

export type Script = { readonly seed: number; readonly setup: Setup; readonly steps: readonly Step[] };

/** Returns a manual sync without faults, during which nobody acts. */
export function quietSync(mirror: number, seed = 0): SyncStep {
  return { do: "sync", mirror, seed, retry: true, kill: null, storm: null, trouble: null, interventions: [] };
}

/** Returns a step in one line. */
export function describeStep(step: Step): string {
  return JSON.stringify(step);
}
