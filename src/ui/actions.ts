/** Every action of the pages. An action handles a form by calling operations of `mirror/`. */

import { spawn } from "node:child_process";
import { approve, reject } from "../mirror/operations/manual/answer-stop.ts";
import { restore } from "../mirror/operations/history/restore.ts";
import { undo } from "../mirror/operations/history/undo.ts";
import { runOperation } from "../mirror/operations/run-operation.ts";
import { DAEMON_NODE_OPTIONS } from "../mirror/daemon/autostart/service-unit.ts";
import { askDaemon, askStatus, NO_DAEMON } from "../mirror/daemon/control/ask.ts";
import { PROGRAM_FILE } from "../common/package-files.ts";
import { unwrap } from "../common/trouble.ts";
import { withQuery } from "../page/addresses.ts";
import {
  type ActionRequest,
  type ActionResult,
  readNumber,
  startJob,
  startSync,
  syncFolder,
  type Ui,
  type UiAction,
} from "./page.ts";
import { documentAddress, documentPart, LINK_PATH, mirrorAddress } from "./addresses.ts";
import { completeLink, draftLink, readFields, type LinkFields } from "./linking.ts";
import type { Folder } from "./folders.ts";
import { BUSY_NOTICE, makeGoodNotice, makeRejectedNotice, makeNothingDoneNotice, makeUndoNotice } from "./messages.ts";
import { addRule, removeRule, replaceKey, saveSettings } from "./pages/settings.ts";
import { resolveConflict } from "./resolving.ts";
import { resolveMany } from "./pages/problems.ts";

export const ACTIONS: readonly UiAction[] = [
  { path: "sync", page: () => "", run: (ui, { folder }) => startSync(ui, folder) },
  // Only a sync finds out what reviewers decided, so this form starts a sync.
  { path: "reviews", page: () => "reviews", run: (ui, { folder }) => startSync(ui, folder) },
  { path: "pause", page: () => "", run: (_ui, { folder }) => askFolderDaemon("pause", folder) },
  { path: "start", page: () => "", run: startDaemon },
  { path: "resume", page: () => "", run: (_ui, { folder }) => askFolderDaemon("resume", folder) },
  { path: "conflict/*", page: findConflictPage, operation: "resolve", run: resolveConflict },
  { path: "resolve", page: () => "needs", operation: "resolve", run: resolveMany },
  { path: "settings", page: () => "settings", run: saveSettings },
  { path: "ignore", page: () => "settings#ignore", run: addRule },
  { path: "ignore/remove", page: () => "settings#ignore", run: removeRule },
  { path: "key", page: () => "settings#key", run: replaceKey },
  { path: "restore/*", page: findVersionPage, operation: "restore", run: restoreVersion },
  { path: "runs/:run/undo", page: findRunPage, operation: "undo", run: undoRun },
  { path: "safety-stop/approve", page: () => "safety-stop", operation: "approve", run: makeAnswerAction("approve") },
  { path: "safety-stop/reject", page: () => "safety-stop", operation: "reject", run: makeAnswerAction("reject") },
];

/**
 * Handles the form that links a new folder. The first request plans the first sync and shows the
 * plan. After the user has confirmed the plan, a second request links and syncs the folder.
 */
export async function runLink(ui: Ui, form: URLSearchParams): Promise<ActionResult> {
  const id = form.get("draft") ?? "";
  const draft = ui.links.get(id);
  if (draft === undefined && !form.has("url")) return { notice: makeNothingDoneNotice("this plan is too old") };
  if (draft?.kind !== "planned") return storeDraft(ui, readFields(form, draft?.typed ?? null));
  const linkedRoot = completeLink(ui, draft);
  ui.links.delete(id);
  ui.folders.add(linkedRoot);
  const { folders } = await ui.folders.read();
  const folder = folders.find(({ root }) => root === linkedRoot);
  if (folder === undefined) return { to: "/", notice: makeGoodNotice("The folder is linked.") };
  return { ...startSync(ui, folder), to: mirrorAddress(folder.name) };
}

const DRAFT_ID_DIGITS = 32;

/**
 * Plans the first sync and stores the plan for the next page. If a field is refused, stores the
 * form.
 */
async function storeDraft(ui: Ui, fields: LinkFields): Promise<ActionResult> {
  const id = ui.random.hex(DRAFT_ID_DIGITS);
  ui.links.set(id, await draftLink(ui, fields));
  return { to: `${LINK_PATH}?draft=${id}`, notice: null };
}

/**
 * LIMIT: number of checks whether a new daemon answers, so that the user soon learns of a failed
 * start.
 */
const MAX_DAEMON_CHECKS = 50;
const DAEMON_CHECK_MS = 200;

/**
 * Starts a daemon for a linked folder. The daemon continues after `mdmirror ui` has ended. Does not
 * install a background service, because a container has no service manager.
 */
function startDaemon(ui: Ui, { folder }: ActionRequest): ActionResult {
  const { root } = folder;
  return startJob(ui, folder, "Starting", async () => {
    const argv = [...DAEMON_NODE_OPTIONS, PROGRAM_FILE, "watch", root];
    const child = spawn(process.execPath, argv, { detached: true, stdio: "ignore", env: ui.env, cwd: root });
    child.on("error", () => undefined).unref();
    for (let check = 0; check < MAX_DAEMON_CHECKS && child.exitCode === null && child.signalCode === null; check++) {
      if ((await askStatus(root)) !== NO_DAEMON)
        return makeGoodNotice("Changes are synced as they happen, until this computer restarts.");
      await ui.clock.sleep(DAEMON_CHECK_MS);
    }
    return { tone: "bad", text: "The daemon did not start.", next: "mdmirror watch" };
  });
}

async function askFolderDaemon(verb: "pause" | "resume", { root }: Folder): Promise<ActionResult> {
  const daemonAnswer = await askDaemon(root, { do: verb });
  if (daemonAnswer === NO_DAEMON)
    return { notice: { tone: "asks", text: "No daemon syncs this folder.", next: "mdmirror watch" } };
  unwrap<unknown>(daemonAnswer);
  const noticeText = verb === "pause" ? "Paused: changes wait until you resume." : "Resumed: changes are synced again.";
  return { notice: makeGoodNotice(noticeText) };
}

function findConflictPage({ params }: ActionRequest): string {
  return documentPart("conflict", params["*"]!);
}

function findVersionPage({ params, form }: ActionRequest): string {
  return withQuery(documentPart("history", params["*"]!), { n: readNumber(form.get("n")) });
}

/** Restores a version. Refuses if the file or the version differs from what the page showed. */
async function restoreVersion(ui: Ui, { folder, form, params }: ActionRequest): Promise<ActionResult> {
  const { name, root } = folder;
  const n = readNumber(form.get("n"));
  if (n === null) return { notice: makeNothingDoneNotice("This is not the number of a version") };
  if (ui.jobs.isBusy(root)) return { notice: BUSY_NOTICE };
  const expected = { local: form.get("local") || null, version: form.get("version") ?? "" };
  const input = { paths: [params["*"]!], n, expected, noSync: true };
  const { items } = unwrap(await runOperation(root, restore, input, ui));
  startSync(ui, folder);
  const [item] = items as [(typeof items)[number]];
  const notice = { ...makeGoodNotice(`Version ${n} is restored.`), details: item.notes };
  return { to: documentAddress(name, "history", item.path), notice };
}

function findRunPage({ params, form }: ActionRequest): string {
  const run = readNumber(params["run"]);
  if (run === null) return "runs";
  // The button *Undo* on the page of problems leads back to that page.
  return form.get("next") === "needs" ? "needs" : `runs/${run}`;
}

/** Undoes a run. Refuses if the undo would no longer make the changes that the page showed. */
function undoRun(ui: Ui, { folder, params, form }: ActionRequest): ActionResult {
  const { root } = folder;
  const run = readNumber(params["run"]);
  if (run === null) return { notice: makeNothingDoneNotice("This is not the number of a run") };
  const input = { run, expected: { plan: form.get("version") ?? "" }, noSync: true };
  // The button *Undo* is shown while the sync after an action runs. The undo waits for that sync.
  ui.jobs.startNext(root, `Undoing run ${run}`, async (progress) => {
    const { items } = unwrap(await runOperation(root, undo, input, { ...ui, progress }));
    const syncedNotice = await syncFolder(ui, folder, progress);
    return syncedNotice.tone === "bad" ? syncedNotice : makeUndoNotice(run, items);
  });
  return { notice: null };
}

/** Answers to a stop by a safety check. `what`: name of the job that carries out the answer. */
const ANSWERS = {
  approve: { operation: approve, what: "Carrying out the stopped changes" },
  reject: { operation: reject, what: "Undoing the stopped changes" },
} as const;

/** Returns an action that answers the stop that the page showed, and then syncs. */
function makeAnswerAction(way: keyof typeof ANSWERS) {
  return (ui: Ui, { folder, form }: ActionRequest): ActionResult => {
    const { operation, what } = ANSWERS[way];
    const { root } = folder;
    const input = { attended: true, expected: { stop: form.get("seen") ?? "" } };
    return startJob(ui, folder, what, async (progress) => {
      // Number of files that a rejection restores, by the scan that the page showed. The operation
      // refuses the answer if the stop has changed since.
      const restoredFiles = ui.stops.filesBack(root);
      const operationResult = await runOperation(root, operation, input, { ...ui, progress });
      ui.stops.forget(root);
      const { items } = unwrap(operationResult);
      const sync = await syncFolder(ui, folder, progress);
      return way === "approve" || sync.tone === "bad" ? sync : makeRejectedNotice(items, restoredFiles);
    });
  };
}
