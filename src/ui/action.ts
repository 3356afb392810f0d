/** The type of an action, and functions that several actions share. */

import { readUndo } from "../mirror/operations/history/undo.ts";
import { syncMirror } from "../mirror/operations/manual/sync.ts";
import type { OperationName } from "../mirror/operations/declared/table.ts";
import { withLocal } from "../mirror/folder/open-local.ts";
import { USUAL_RUN } from "../mirror/folder/run.ts";
import type { Progress } from "../mirror/ports/world.ts";
import type { Notice } from "../page/layout.ts";
import { mirrorAddress } from "./addresses.ts";
import type { Folder } from "./folders.ts";
import { BUSY_NOTICE, makeTroubleNotice, makeSyncNotice } from "./messages.ts";
import type { PageRequest, Ui } from "./page.ts";

export type ActionRequest = PageRequest & {
  /** Linked folder that the form names. It exists and belongs to this user. */
  readonly folder: Folder;
  readonly form: URLSearchParams;
};

/**
 * `notice`: shown on the next page. `to`: address of the next page. Default: the page of the
 * action.
 */
export type ActionResult = { readonly notice: Notice | null; readonly to?: string };

export type UiAction = {
  /** Route of the form below the address of the linked folder, such as `sync` or `conflict/*`. */
  readonly path: string;
  readonly operation?: OperationName;
  /** Returns the address of the next page, relative to the address of the linked folder. */
  readonly page: (request: ActionRequest) => string;
  /** Carries out the action. Throws a TroubleError, which the next page shows as a notice. */
  readonly run: (ui: Ui, request: ActionRequest) => ActionResult | Promise<ActionResult>;
};

type FolderRef = Pick<Folder, "name" | "root">;

/** Starts a sync as a job, so that the page does not wait for the service. */
export function startSync(ui: Ui, folder: FolderRef): ActionResult {
  return startJob(ui, folder, "Syncing", (progress) => syncFolder(ui, folder, progress));
}

/** Starts a job, whose progress the next page shows. Returns a notice if another job runs. */
export function startJob(ui: Ui, { root }: FolderRef, ...job: JobArguments): ActionResult {
  return { notice: ui.jobs.start(root, ...job) ? null : BUSY_NOTICE };
}

type JobArguments = [what: string, work: (progress: Progress) => Promise<Notice>];

export async function syncFolder(ui: Ui, { name, root }: FolderRef, progress: Progress): Promise<Notice> {
  const syncResult = await syncMirror(root, USUAL_RUN, { ...ui, progress });
  if (syncResult.kind === "trouble") return makeTroubleNotice(syncResult.trouble);
  return makeSyncNotice(syncResult.value.report, mirrorAddress(name, "safety-stop"));
}

/** Returns the form of the button *Undo* for a run; empty if nothing can be undone. */
export function makeUndo(ui: Ui, { name, root }: FolderRef, run: number | null): Pick<Notice, "undo"> {
  if (run === null) return {};
  const plan = withLocal(root, ui, (local) => readUndo(local, run));
  if (plan.kind === "trouble" || plan.value.items.every(({ kind }) => kind === "left")) return {};
  const fields = { root, version: plan.value.version, next: "needs" };
  return { undo: { action: mirrorAddress(name, `runs/${run}/undo`), label: "Undo", fields } };
}
