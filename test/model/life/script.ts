import type { Variant } from "../../../src/service/variant.ts";
import type { RamDiskOptions } from "../ram-disk.ts";

/** A life as data: what happens, step by step. Every choice of a step comes from its own seed and the world as it is then, so that any step may be taken out. */

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
] as const;
export type AppAct = (typeof APP_ACTS)[number];

export type Levels = "none" | "read" | "edit" | "full" | "hide-one-folder";

/** Somebody acts while a mirror is at work: before its port call number `at`. */
export type Meddle =
  | { readonly at: number; readonly by: "app"; readonly act: AppAct; readonly seed: number }
  | { readonly at: number; readonly by: "local"; readonly act: LocalAct; readonly seed: number };

/**
 * `full`: no new bytes fit. `forbidden`: a folder of the tree refuses all calls. `flaky`: some calls fail once each. `unmounted`: in the place of the mirrored
 * folder is an empty one.
 */
export type DiskTrouble = "full" | "forbidden" | "flaky" | "unmounted";

export type SyncStep = {
  readonly do: "sync";
  readonly mirror: number;
  readonly seed: number;
  /** By hand: what was refused is tried again. */
  readonly retry: boolean;
  /** Dies at this port call (1: the first). `power`: what was not fsynced is lost, of the disk and of the state. */
  readonly kill: { readonly at: number; readonly power: boolean } | null;
  /** One request in so many is befallen. */
  readonly storm: number | null;
  readonly trouble: DiskTrouble | null;
  readonly meddles: readonly Meddle[];
  /** About one call in so many is met by somebody at the very document that it is about (`aim.ts`). */
  readonly aim?: number | null;
};

export type Step =
  | SyncStep
  | { readonly do: "here"; readonly mirror: number; readonly act: LocalAct; readonly seed: number }
  | { readonly do: "there"; readonly act: AppAct; readonly seed: number }
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
  readonly conflicts: "sidecar" | "copy";
};

export type Setup = {
  readonly mirrors: readonly MirrorSetup[];
  readonly variant: Omit<Variant, "fault">;
  /** Whether the service combines stale bases. */
  readonly combines: boolean;
  /** Documents that the workspace begins with. */
  readonly documents: number;
  /** Milliseconds by which all clocks are off. */
  readonly clockOff: number;
};

export type Script = { readonly seed: number; readonly setup: Setup; readonly steps: readonly Step[] };

/** A step on one line. */
export function tellStep(step: Step): string {
  return JSON.stringify(step);
}
