import type { Deployment } from "../rig.ts";
import type { RamDiskOptions } from "../ram-disk.ts";

/**
 * A life as data: what happens, step by step. Every choice of a step comes from its own seed and
 * the world as it is then, so that any step may be taken out.
 */

export const LOCAL_ACTS = [
  "create",
  "write-in-place",
  "save-by-rename",
  "save-with-backup",
  "delete-and-create",
  "half-write",
  "touch",
  "rename",
  "change-case",
  "move",
  "swap",
  "remove",
  "make-folder",
  "rename-folder",
  "move-folder",
  "remove-folder",
  "remove-many",
  "odd-file",
  "end-conflict",
  "rewrite",
  "cut-short",
  "redress",
  "swap-edited",
  "link",
  "create-linked",
] as const;
export type LocalAct = (typeof LOCAL_ACTS)[number];

export const APP_ACTS = [
  "create",
  "edit",
  "rename",
  "move",
  "swap",
  "remove",
  "make-folder",
  "rename-folder",
  "move-folder",
  "remove-folder",
  "remove-many",
  "protect",
  "unprotect",
  "accept",
  "reject",
  "link",
] as const;
export type AppAct = (typeof APP_ACTS)[number];

/** What a program does that writes many files, reads right after and waits (program.ts). */
export const PROGRAM_ACTS = ["write-many", "read-back", "wait"] as const;
export type ProgramAct = (typeof PROGRAM_ACTS)[number];

export type Levels = "none" | "read" | "edit" | "full" | "hide-one-folder";

/** Somebody acts while a mirror is at work: before its port call number `at`. */
export type Meddle =
  | { readonly at: number; readonly by: "app"; readonly act: AppAct; readonly seed: number }
  | { readonly at: number; readonly by: "local"; readonly act: LocalAct; readonly seed: number };

/**
 * What a mirror is about to do: a request that it sends, or a call of the disk that it makes about
 * a document.
 */
export const MOMENTS = [
  /** It has looked, and carries out its plan now; what happens is about any document. */
  "planned",
  "read",
  /** Of one that is not in the folder. */
  "read-absent",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  /**
   * A file is taken aside, to be replaced; or to the trash; or a new one gets its name; or one gets
   * another name.
   */
  "park",
  "trash",
  "make",
  "rename",
  /** New files are brought to the medium. */
  "flush",
] as const;
export type Moment = (typeof MOMENTS)[number];

/** What happens then: to the request, by people to that very document, or to the process. */
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
 * Once in a run, at the `nth` such moment (1: the first). `calls`: so many port calls later it
 * dies, where it is killed.
 */
export type Strike = {
  readonly moment: Moment;
  readonly nth: number;
  readonly what: Happening;
  readonly seed: number;
  readonly calls: number;
};

/**
 * `full`: no new bytes fit. `forbidden`: a folder of the tree refuses all calls. `flaky`: some
 * calls fail once each. `unmounted`: in the place of the mirrored folder is an empty one.
 */
export type DiskTrouble = "full" | "forbidden" | "flaky" | "unmounted";

export type SyncStep = {
  readonly do: "sync";
  readonly mirror: number;
  readonly seed: number;
  /** By hand: what was refused is tried again. */
  readonly retry: boolean;
  /**
   * Dies at this port call (1: the first). `power`: what was not fsynced is lost, of the disk and
   * of the state.
   */
  readonly kill: { readonly at: number; readonly power: boolean } | null;
  /** One request in so many is befallen. */
  readonly storm: number | null;
  readonly trouble: DiskTrouble | null;
  readonly meddles: readonly Meddle[];
  /**
   * About one call in so many is met by somebody at the very document that it is about (`aim.ts`).
   */
  readonly aim?: number | null;
  readonly strikes?: readonly Strike[];
};

export type LocalDoing = { readonly act: LocalAct; readonly seed: number };

/** Somebody acts, so many milliseconds after the act before. */
export type Act = { readonly after: number } & (
  | { readonly by: "app"; readonly act: AppAct; readonly seed: number }
  | { readonly by: "local"; readonly act: LocalAct; readonly seed: number }
  | { readonly by: "program"; readonly act: ProgramAct; readonly seed: number }
);

/** A mirror is run by its daemon, till `rest` milliseconds after the last act. */
export type WatchStep = Pick<SyncStep, "mirror" | "seed" | "kill" | "storm" | "strikes"> & {
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
      /** At the document that the same seed chooses in this mirror's folder. */
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
  /** Whether the service combines stale bases. */
  readonly combines: boolean;
  /** Documents that the workspace begins with. */
  readonly documents: number;
  /** Milliseconds by which all clocks are off. */
  readonly clockOff: number;
  /**
   * Whether people keep files open in editors that tell so, and the mirrors leave those alone, and
   * what changed a moment ago. Not set: nobody does.
   */
  readonly hands?: true;
  /**
   * Whether a mirror's work gives way to answers in many places, as with the system's clock. Not
   * set: it does not.
   */
  readonly turns?: boolean;
  /**
   * Whether documents link each other, the mirrors translate links, and the service refuses one
   * that leads nowhere. Not set: no text has a link.
   */
  readonly links?: boolean;
};

export type Script = { readonly seed: number; readonly setup: Setup; readonly steps: readonly Step[] };

/** A step on one line. */
export function tellStep(step: Step): string {
  return JSON.stringify(step);
}
