/** Common parts of all actions: their type, their notices, and the sync that follows them. */

import { readUndo } from "../mirror/operations/history/undo.ts";
import { syncMirror } from "../mirror/operations/manual/sync.ts";
import type { OperationName } from "../mirror/operations/declared/table.ts";
import { withLocal } from "../mirror/folder/open-local.ts";
import { USUAL_RUN } from "../mirror/folder/run.ts";
import type { Progress } from "../mirror/ports/world.ts";
import type { Notice } from "../page/layout.ts";
import { mirrorAddress } from "./addresses.ts";
import type { Folder } from "./folders.ts";
import { BUSY, noticeOfTrouble, syncNotice } from "./messages.ts";
import type { PageRequest, Ui } from "./page.ts";

export type ActionRequest = PageRequest & {
  /** Folder of the form: a linked folder that exists and belongs to this user. */
  readonly folder: Folder;
  readonly form: URLSearchParams;
};

/** Notice on the next page. `to`: address of that page; undefined: the page of the action. */
export type Done = { readonly notice: Notice | null; readonly to?: string };

export type UiAction = {
  /** Route below the page of the folder, such as `sync` or `conflict/*`. */
  readonly path: string;
  /** Name of the operation that the action carries out; undefined if there is none. */
  readonly operation?: OperationName;
  /** Returns the part of the address of the next page, below the page of the folder. */
  readonly page: (request: ActionRequest) => string;
  /** @throws TroubleError for a notice about the trouble on that page */
  readonly run: (ui: Ui, request: ActionRequest) => Done | Promise<Done>;
};

type FolderRef = Pick<Folder, "name" | "root">;

/** Starts a sync as a job, because a page does not wait for the service. */
export function startSync(ui: Ui, folder: FolderRef): Done {
  return startJob(ui, folder, "Syncing", (progress) => syncFolder(ui, folder, progress));
}

/** Starts a job, which the next page shows. */
export function startJob(ui: Ui, { root }: FolderRef, ...job: Job): Done {
  return { notice: ui.jobs.start(root, ...job) ? null : BUSY };
}

type Job = [what: string, work: (progress: Progress) => Promise<Notice>];

export async function syncFolder(ui: Ui, { name, root }: FolderRef, progress: Progress): Promise<Notice> {
  const ended = await syncMirror(root, USUAL_RUN, { ...ui, progress });
  if (ended.kind === "trouble") return noticeOfTrouble(ended.trouble);
  return syncNotice(ended.value.report, mirrorAddress(name, "safety-stop"));
}

/** Returns the form that undoes a run; nothing if there is no run, or nothing to undo. */
export function undoOf(ui: Ui, { name, root }: FolderRef, run: number | null): Pick<Notice, "undo"> {
  if (run === null) return {};
  const plan = withLocal(root, ui, (local) => readUndo(local, run));
  if (plan.kind === "trouble" || plan.value.items.every(({ kind }) => kind === "left")) return {};
  const fields = { root, version: plan.value.version, next: "needs" };
  return { undo: { action: mirrorAddress(name, `runs/${run}/undo`), label: "Undo", fields } };
}
