import { readUndoPlan } from "../mirror/operations/history/undo.ts";
import { syncMirror } from "../mirror/operations/manual/sync.ts";
import type { OperationName } from "../mirror/operations/declared/table.ts";
import { doneLine } from "../mirror/operations/results/done.ts";
import { problemsClause } from "../mirror/operations/results/needs.ts";
import { withLocal } from "../mirror/folder/open-local.ts";
import { USUAL_RUN } from "../mirror/folder/run.ts";
import type { Progress } from "../mirror/ports/world.ts";
import type { Notice } from "../page/layout.ts";
import { mirrorAddress } from "./addresses.ts";
import type { Folder } from "./folders.ts";
import { noticeOfTrouble } from "./jobs.ts";
import type { PageRequest, Ui } from "./page.ts";

/** Common parts of all actions: their type, their notices, and the sync that follows them. */

export type ActionRequest = PageRequest & {
  /** Folder of the form: a linked folder that exists and belongs to this user. */
  readonly folder: Folder;
  readonly form: URLSearchParams;
};

/** Address of the next page, and the notice on it. */
export type Done = { readonly to: string; readonly notice: Notice | null };

export type UiAction = {
  /** Route below the page of the folder, such as `sync` or `conflict/*`. */
  readonly path: string;
  /** Name of the operation that the action carries out; undefined if there is none. */
  readonly operation?: OperationName;
  readonly run: (ui: Ui, asked: ActionRequest) => Done | Promise<Done>;
};

/** Notice for a second action while the first one runs: a folder has one action at a time. */
export const BUSY: Notice = {
  tone: "asks",
  text: "another action is running in this folder; nothing was done",
  next: "wait until it ends, then try again",
};

export function good(text: string): Notice {
  return { tone: "good", text, next: null };
}

export function nothingDone(text: string): Notice {
  return { tone: "bad", text: `${text}; nothing was done`, next: null };
}

/**
 * Starts a sync as a job, because a page does not wait for the service.
 * @param part of the address of the next page
 */
export function startSync(ui: Ui, { name, root }: Folder, part: string): Done {
  const started = ui.jobs.start(root, "sync", (progress) => syncFolder(ui, root, progress));
  return { to: mirrorAddress(name, part), notice: started ? null : BUSY };
}

export async function syncFolder(ui: Ui, root: string, progress: Progress): Promise<Notice> {
  const ended = await syncMirror(root, USUAL_RUN, { ...ui, progress });
  if (ended.kind === "trouble") return noticeOfTrouble(ended.trouble);
  const { state, counts, attention } = ended.value.report;
  const done = doneLine(counts);
  switch (state) {
    case "in-sync":
      return good(`Synced: ${done ?? "nothing to do"}`);
    case "attention":
      return { tone: "asks", text: `done, ${problemsClause(attention)}: ${done ?? "nothing to do"}`, next: null };
    case "stopped":
      return { tone: "bad", text: `Stopped by a safety check: ${done ?? "nothing was done"}`, next: null };
    case "offline":
      return { tone: "bad", text: `offline: ${done ?? "nothing was done"}`, next: "mdmirror doctor" };
  }
}

/** Returns the form that undoes a run; nothing if there is no run, or nothing to undo. */
export function undoOf(
  ui: Ui,
  { name, root }: Pick<Folder, "name" | "root">,
  run: number | null,
): Pick<Notice, "undo"> {
  if (run === null) return {};
  const plan = withLocal(root, ui, (local) => readUndoPlan(local, run));
  if (plan.kind === "trouble" || plan.value.plan.items.every(({ kind }) => kind === "left")) return {};
  const fields = { root, version: plan.value.version };
  return { undo: { action: mirrorAddress(name, `runs/${run}/undo`), label: "Undo", fields } };
}
