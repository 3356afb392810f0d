import type { FolderStatus } from "../mirror/folder/all-statuses.ts";
import type { StopView } from "../mirror/operations/manual/answer-stop.ts";
import type { Trouble } from "../common/trouble.ts";
import { type MirrorModel, modelOf } from "./mirror-model.ts";
import type { PageRequest, Ui } from "./page.ts";
import { type Part, partOf } from "./paging.ts";

/** LIMIT: rows on one page. */
const SIZE = 100;

/** A stop as plain data. */
export type StopModel = {
  readonly mirror: MirrorModel;
  readonly isStopped: boolean;
  readonly approved: boolean;
  readonly reasons: readonly { readonly reason: string; readonly detail: string }[];
  /** True while a scan of both sides is running. */
  readonly isLooking: boolean;
  /** End of the last scan, in milliseconds since the epoch; null if there was none. */
  readonly at: number | null;
  /** Result of the last scan; null if there was none, or the scan failed. */
  readonly view: StopView | null;
  readonly trouble: Trouble | null;
  readonly part: Part<StopView["stop"]["items"][number]>;
};

export function modelOfStop(ui: Ui, looked: FolderStatus, asked: PageRequest): StopModel {
  const mirror = { ...modelOf(looked, ui), needs: [], waits: [] };
  const safetyStop = looked.look.kind === "seen" ? looked.look.status.safetyStop : null;
  const isOpen = looked.look.kind === "seen" && safetyStop !== null && !safetyStop.approved;
  const { since, seen } = isOpen ? ui.halts.of(mirror.root, looked.look.status) : { since: null, seen: null };
  const view = seen?.result.kind === "ok" ? seen.result.value : null;
  return {
    mirror,
    isStopped: safetyStop !== null,
    approved: safetyStop?.approved === true,
    reasons: safetyStop?.reasons ?? [],
    isLooking: since !== null,
    at: seen?.at ?? null,
    view,
    trouble: seen?.result.kind === "trouble" ? seen.result.trouble : null,
    part: partOf(view?.stop.items ?? [], asked, SIZE),
  };
}
