import type { Deployment } from "../rig.ts";
import type { RamDiskOptions } from "../ram-disk.ts";

/**
 * A run as data: its steps. Every choice of a step comes from its own seed and the present world,
 * so that any step may be removed.
 */

/** Acts of a user in a folder, each with how often it is chosen. */
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
  // Only for scenarios (scenarios.ts): otherwise the runs of existing seeds would change.
  rewrite: 0,
  "cut-short": 0,
  redress: 0,
  "swap-edited": 0,
  // Only for linked runs (linked.ts).
  link: 0,
  "create-linked": 0,
};
export type LocalAct = keyof typeof LOCAL_ACTS;

/** Acts of a user of the service. */
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

/** Acts of a program that writes many files, reads them right after and waits (program.ts). */
export const PROGRAM_ACTS = ["write-many", "read-back", "wait"] as const;
export type ProgramAct = (typeof PROGRAM_ACTS)[number];

export type Levels = "none" | "read" | "edit" | "full" | "hide-one-folder";

/** A user acts while a mirror works: before its port call number `at`. */
export type Intervention =
  | { readonly at: number; readonly by: "app"; readonly act: AppAct; readonly seed: number }
  | { readonly at: number; readonly by: "local"; readonly act: LocalAct; readonly seed: number };

/**
 * The moments of incidents: a request that a mirror is about to send, or a call of the disk about a
 * document.
 */
export const MOMENTS = [
  /** The mirror has scanned, and now carries out its plan; the incident is about any document. */
  "planned",
  "read",
  /** A read of a document that is not in the folder. */
  "read-absent",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  /**
   * A file is set aside, to be replaced; or moved to the trash; or a new file gets its name; or a
   * file gets another name.
   */
  "park",
  "trash",
  "make",
  "rename",
  /** New files are flushed to the disk. */
  "flush",
] as const;
export type Moment = (typeof MOMENTS)[number];

/**
 * Incidents: a fault of the request, an act of users on that document, or a kill of the process.
 */
export const HAPPENINGS = [
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
export type Happening = (typeof HAPPENINGS)[number];

/**
 * Happens once in a run, at the `nth` such moment (1: the first). `calls`: number of further port
 * calls before a kill.
 */
export type Incident = {
  readonly moment: Moment;
  readonly nth: number;
  readonly what: Happening;
  readonly seed: number;
  readonly calls: number;
};

/**
 * `full`: no new bytes fit. `forbidden`: a folder of the tree refuses all calls. `flaky`: some
 * calls fail once each. `unmounted`: an empty folder is in place of the linked folder.
 */
export type DiskTrouble = "full" | "forbidden" | "flaky" | "unmounted";

export type SyncStep = {
  readonly do: "sync";
  readonly mirror: number;
  readonly seed: number;
  /** True for a manual sync: refused changes are tried again. */
  readonly retry: boolean;
  /**
   * Dies at this port call (1: the first). `power`: unsynced parts of the disk and of the state are
   * lost.
   */
  readonly kill: { readonly at: number; readonly power: boolean } | null;
  /** One request in this many has a fault. */
  readonly storm: number | null;
  readonly trouble: DiskTrouble | null;
  readonly interventions: readonly Intervention[];
  /** About one call in this many meets a user's act on its document (`aim.ts`). */
  readonly aim?: number | null;
  readonly incidents?: readonly Incident[];
};

/** A user acts, this many milliseconds after the act before. */
export type Act = { readonly after: number } & (
  | { readonly by: "app"; readonly act: AppAct; readonly seed: number }
  | { readonly by: "local"; readonly act: LocalAct; readonly seed: number }
  | { readonly by: "program"; readonly act: ProgramAct; readonly seed: number }
);

/** A mirror is run by its daemon, until `rest` milliseconds after the last act. */
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
      /** On the document that the same seed chooses in this mirror's folder. */
      readonly as?: number;
    }
  | { readonly do: "grant"; readonly mirror: number; readonly level: Levels; readonly seed: number }
  | { readonly do: "workspace"; readonly state: "open" | "closed" | "restoring" }
  | { readonly do: "backup" }
  | { readonly do: "restore-backup" }
  | { readonly do: "approve"; readonly mirror: number }
  /** Time passes. */
  | { readonly do: "wait"; readonly ms: number }
  /** The wall clock is set; negative: back. */
  | { readonly do: "set-clock"; readonly ms: number };

export type MirrorSetup = {
  /** A root folder of the workspace, or "" for all of it. */
  readonly prefix: string;
  readonly level: Levels;
  readonly disk: RamDiskOptions;
  readonly conflicts: "conflict-copy" | "copy";
};

export type Setup = {
  readonly mirrors: readonly MirrorSetup[];
  readonly variant: Omit<Deployment, "fault">;
  /** True if the service combines edits on stale bases. */
  readonly combines: boolean;
  /** Number of documents at the beginning. */
  readonly documents: number;
  /** Milliseconds by which all clocks are wrong. */
  readonly clockOff: number;
  /**
   * True if users keep files open in editors that show it, so that the mirrors wait for these files
   * and for files that changed a moment ago. Left out: nobody does.
   */
  readonly hands?: true;
  /** Direction of the first mirror until the end of the run, when all sync both ways. */
  readonly direction?: "pull" | "push";
  /**
   * True if a mirror's work pauses for answers in many places, as with the system's clock. Left
   * out: it does not.
   */
  readonly turns?: boolean;
  /**
   * True if documents link each other, the mirrors convert links, and the service refuses links
   * without a target. Left out: no content has a link.
   */
  readonly links?: boolean;
};

export type Script = { readonly seed: number; readonly setup: Setup; readonly steps: readonly Step[] };

/** Returns a step on one line. */
export function tellStep(step: Step): string {
  return JSON.stringify(step);
}
