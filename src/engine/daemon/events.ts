import type { LocalPath } from "../../model/path.ts";
import type { EventSide } from "../../ports/state.ts";
import type { RunReport } from "../run/report.ts";
import type { Phase } from "./phase.ts";

/**
 * What `watch --json` prints, a line each. Never a text (I30). `at`: milliseconds since the epoch.
 */
export type DaemonEvent = { readonly at: number } & (
  | { readonly kind: "phase"; readonly phase: Phase }
  /** One effect, or something that needs to be known: a line of the event log. */
  | {
      readonly kind: "change";
      /** An action kind, or `halt`, `conflict`, `late-write`, `recover`, `fault`. */
      readonly what: string;
      readonly side: EventSide;
      readonly id: string | null;
      readonly path: LocalPath;
      readonly outcome: string;
      readonly detail: string;
      readonly code: string | null;
      readonly requestId: string | null;
      /** The version that the document is linked at afterwards. */
      readonly changeId: string | null;
      /** Lines of the text; null where no text changed, or where it is not held. */
      readonly lines: { readonly added: number; readonly removed: number } | null;
      readonly run: number;
    }
  /** A run that did something, or ended otherwise than the one before. */
  | { readonly kind: "run"; readonly report: RunReport }
  /**
   * A local deletion waits for its grace, or no longer. What is in conflict comes back then, and is
   * not deleted there.
   */
  | {
      readonly kind: "deletion-pending";
      readonly path: LocalPath;
      readonly dueAt: number;
      readonly inConflict: boolean;
    }
  | { readonly kind: "deletion-called-off"; readonly path: LocalPath }
  /** Nothing is watched any more: looked at with each poll. Said once. */
  | { readonly kind: "watch-limit"; readonly code: string; readonly detail: string }
  /** Time went by that nobody slept for: everything is looked at again. */
  | { readonly kind: "woke"; readonly sleptMs: number }
);
