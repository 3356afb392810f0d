import type { StoppedRow } from "../mirror/operations/manual/answer-stop.ts";
import type { RejectItem } from "../mirror/operations/manual/reject.ts";
import type { FolderStatus } from "../mirror/folder/all-statuses.ts";
import type { Trouble } from "../common/trouble.ts";
import { NEXT_WITHOUT_ROOT } from "../mirror/operations/results/attention.ts";
import { insteadOf } from "../mirror/operations/results/stop.ts";
import { count } from "../common/count.ts";
import type { Reason } from "../mirror/planner/verdict/stops.ts";
import type { StopReading } from "./stops.ts";
import { type MirrorModel, modelOf } from "./mirror-model.ts";
import type { PageRequest, Ui } from "./page.ts";
import { type Part, partOf } from "./paging.ts";

/** LIMIT: rows on one page. */
const SIZE = 100;
/** LIMIT: names of items to restore that are shown. */
const MOST_BACK = 20;

/** A stop as plain data. */
export type StopModel = {
  readonly mirror: MirrorModel;
  readonly isStopped: boolean;
  readonly approved: boolean;
  readonly reasons: readonly Reason[];
  readonly look: {
    /**
     * Start of the scan that is running, in milliseconds since the epoch; null if none is running.
     */
    readonly since: number | null;
    /** End of the last scan, in milliseconds since the epoch; null if there was none. */
    readonly at: number | null;
    readonly kind: "none" | "nothing" | "not-approvable" | "stopped";
    readonly trouble: Trouble | null;
  };
  /** Version of the stop that is shown; an answer sends it back. */
  readonly seen: string;
  readonly byReason: boolean;
  /** Number of other steps, which wait until the user answers the stop. */
  readonly waiting: number;
  /** Number of actions of each kind, such as `→ delete on the service: 27`. */
  readonly sums: readonly string[];
  readonly part: Part<StoppedRow> | null;
  /** Items that would be restored, by kind. */
  readonly back: readonly {
    readonly kind: RejectItem["kind"];
    readonly total: number;
    readonly items: readonly RejectItem[];
  }[];
  /** Next steps if nothing can be restored. */
  readonly instead: readonly string[];
};

const NO_LOOK: StopReading = { since: null, seen: null };

export function modelOfStop(ui: Ui, looked: FolderStatus, asked: PageRequest): StopModel {
  const mirror = { ...modelOf(looked, ui), needs: [], waits: [] };
  const safetyStop = looked.look.kind === "seen" ? looked.look.status.safetyStop : null;
  const isOpen = looked.look.kind === "seen" && safetyStop !== null && !safetyStop.approved;
  const look = isOpen ? ui.halts.of(mirror.root, looked.look.status) : NO_LOOK;
  const common = {
    mirror,
    isStopped: safetyStop !== null,
    approved: safetyStop?.approved === true,
    reasons: safetyStop?.reasons ?? [],
  };
  return { ...common, ...viewOf(look, asked) };
}

const EMPTY = { seen: "", byReason: false, waiting: 0, sums: [], part: null, back: [], instead: [] } as const;

function viewOf(
  { since, seen }: StopReading,
  asked: PageRequest,
): Omit<StopModel, "mirror" | "isStopped" | "approved" | "reasons"> {
  const at = seen?.at ?? null;
  if (seen === null) return { look: { since, at, kind: "none", trouble: null }, ...EMPTY };
  if (seen.result.kind === "trouble")
    return { look: { since, at, kind: "none", trouble: seen.result.trouble }, ...EMPTY };
  const view = seen.result.value;
  if (view.kind !== "stopped") {
    const lost = view.kind === "not-approvable" ? LOST : null;
    return { look: { since, at, kind: view.kind, trouble: lost }, ...EMPTY };
  }
  const able = view.back.filter(({ kind }) => kind !== "left").length;
  return {
    look: { since, at, kind: "stopped", trouble: null },
    seen: view.seen,
    byReason: view.byReason,
    waiting: view.waiting,
    sums: sumsOf(view.stopped),
    part: partOf(view.stopped, asked, SIZE),
    back: backOf(able === 0 ? [] : view.back),
    instead: able === 0 ? view.reasons.map(({ reason }) => insteadOf(reason)) : [],
  };
}

const LOST: Trouble = {
  kind: "usage",
  what: "no answer ends this stop: the folder is missing or another one",
  next: NEXT_WITHOUT_ROOT,
};

function sumsOf(stopped: readonly StoppedRow[]): string[] {
  const sums = Map.groupBy(stopped, ({ arrow, what }) => `${arrow} ${what}`);
  return [...sums].map(([words, all]) => `${words}: ${count(all.length)}`);
}

function backOf(back: readonly RejectItem[]): StopModel["back"] {
  return [...Map.groupBy(back, ({ kind }) => kind)].map(([kind, all]) => ({
    kind,
    total: all.length,
    items: all.slice(0, MOST_BACK),
  }));
}
