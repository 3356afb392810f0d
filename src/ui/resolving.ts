/** Carries out forms that resolve conflicts. */

import { resolve } from "../mirror/operations/manual/resolve.ts";
import { problemOf } from "../mirror/operations/manual/open-problem.ts";
import { type ShownText, viewProblem } from "../mirror/operations/manual/problem-view.ts";
import { runOperation } from "../mirror/operations/run-operation.ts";
import { type LocalMirror, withLocal } from "../mirror/folder/open-local.ts";
import type { Conflict } from "../mirror/model/record.ts";
import type { BaseTree } from "../mirror/model/tree.ts";
import type { Digest } from "../contract/digest.ts";
import type { DocId } from "../contract/ids.ts";
import { BoundedMap } from "../common/bounded-map.ts";
import { ok, type Trouble, unwrap } from "../common/trouble.ts";
import { withLineEnds } from "../markdown/merge/line-ends.ts";
import type { Notice } from "../page/layout.ts";
import { type ActionRequest, type Done, startJob, startSync, syncFolder, undoOf } from "./action.ts";
import { documentAddress } from "./addresses.ts";
import { clashesOf, composeResult, placesOf } from "./clashes.ts";
import type { Folder } from "./folders.ts";
import { choicesKey, draftKey } from "./jobs.ts";
import { BUSY, manyResolvedNotice, nothingDone, noticeOfTrouble, resolvedNotice } from "./messages.ts";
import type { Ui } from "./page.ts";
import { nextConflict, readProblem, startText } from "./pages/conflict.ts";

const WAYS = ["mine", "theirs", "merged", "keep", "delete", "recreate"] as const;

/**
 * Content of a resolved document, or a notice that says why there is none. Null if the chosen way
 * needs no content.
 */
type Content = Resolution | { readonly notice: Notice } | null;

/**
 * Content of a resolved document. `way` is `mine` or `theirs` if the content equals that version.
 */
type Resolution = { readonly way: "mine" | "theirs" | "merged"; readonly text: string };

/** Resolves a conflict. Refuses if a version differs from what the page showed. */
export async function resolveConflict(ui: Ui, { folder, form, params }: ActionRequest): Promise<Done> {
  const { name, root } = folder;
  const path = params["*"]!;
  const sentWay = form.get("way");
  const isDecided = sentWay === "decided";
  if (isDecided || sentWay === "preview") ui.drafts.set(choicesKey(root, path), choicesIn(form));
  if (sentWay === "preview")
    return { to: `${documentAddress(name, "conflict", path, { preview: "yes" })}#preview`, notice: null };
  const content = isDecided ? decidedContent(ui, root, path, form) : typedContent(ui, root, path, form);
  if (content !== null && "notice" in content) return { notice: content.notice };
  const way = content?.way ?? WAYS.find((candidate) => candidate === sentWay);
  if (way === undefined) return { notice: nothingDone("Choose a version") };
  if (ui.jobs.isBusy(root)) return { notice: BUSY };
  const text = way === "merged" && content !== null ? { text: content.text } : {};
  const force = isDecided || form.get("force") !== null;
  const input = { paths: [path], way, force, expected: versionsIn(form), noSync: true, ...text };
  const done = await runOperation(root, resolve, input, ui);
  if (done.kind === "trouble") return { notice: noticeOfRefusal(done.trouble, content !== null) };
  for (const key of [draftKey(root, path), choicesKey(root, path)]) ui.drafts.delete(key);
  const { run, items } = done.value;
  const [item] = items as [(typeof items)[number]];
  const notice = { ...resolvedNotice(way, item.notes), link: nextLink(folder, path), ...undoOf(ui, folder, run) };
  startSync(ui, folder);
  return { to: documentAddress(name, "conflict", item.path), notice };
}

/** Ways of resolving several conflicts together, with the labels of their buttons. */
export const MANY_WAYS = {
  mine: "Take mine",
  theirs: "Take theirs",
  "merged-where-clean": "Merge where clean",
} as const;

/**
 * Resolves all conflicts that the user checked, as one run. Skips a conflict if one of its versions
 * differs from what the page showed.
 */
export function resolveMany(ui: Ui, { folder, form }: ActionRequest): Done {
  const { root } = folder;
  const way = (Object.keys(MANY_WAYS) as (keyof typeof MANY_WAYS)[]).find((key) => key === form.get("way"));
  const chosen = new Set(form.getAll("conflict"));
  const present = openConflicts(ui, root);
  const paths = [...present].filter(([, { choice }]) => chosen.has(choice)).map(([path]) => path);
  if (way === undefined || chosen.size === 0) return { notice: nothingDone("Select at least one conflict") };
  if (paths.length === 0) return { notice: nothingDone("The versions changed since this page was shown") };
  const why = "its versions changed since the page was shown";
  const isPresent = new Set([...present.values()].map(({ choice }) => choice));
  const changed = [...chosen]
    .filter((choice) => !isPresent.has(choice))
    .map((choice) => ({ path: choice.split(" ").slice(2).join(" "), end: "left", why }));
  return startJob(ui, folder, "Resolving conflicts", async (progress) => {
    const input = { paths, way, noSync: true };
    const { items, run } = unwrap(await runOperation(root, resolve, input, { ...ui, progress }));
    await syncFolder(ui, folder, progress);
    return { ...manyResolvedNotice([...items, ...changed]), ...undoOf(ui, folder, run) };
  });
}

export type OpenConflict = {
  /** Value of the conflict's check box: its path, and the versions that the page shows. */
  readonly choice: string;
  /** Number of clashes to decide; null if a version cannot be shown. */
  readonly clashes: number | null;
  /** Start of the conflict, in milliseconds since the epoch. */
  readonly since: number;
};

/** Returns the open conflicts of a linked folder by the path of the document. */
export function openConflicts(ui: Ui, root: string): ReadonlyMap<string, OpenConflict> {
  const read = withLocal(root, ui, (local) => {
    const base = local.state.load();
    return ok(new Map([...base.conflicts.values()].map((conflict) => openConflict(local, base, conflict))));
  });
  return read.kind === "ok" ? read.value : new Map();
}

function openConflict(local: LocalMirror, base: BaseTree, conflict: Conflict): readonly [string, OpenConflict] {
  const path = base.records.get(conflict.id)?.localPath ?? conflict.newestCopyPath;
  const look = local.disk.look(path);
  const mine = look.kind === "file" ? look.digest : "";
  const choice = `${mine} ${conflict.shown.at(-1)!.digest} ${path}`;
  const clashes = clashesKnown(`${choice} ${conflict.baseDigest}`, () => countClashes(local, base, conflict.id));
  return [path, { choice, clashes, since: conflict.since }];
}

/** LIMIT: number of conflicts for which the number of clashes is kept in memory. */
const MAX_COUNTED = 1_000;
const clashCounts = new BoundedMap<string, number | null>(MAX_COUNTED);

/**
 * Returns the number of clashes of a conflict. Counts them only once for the same versions, because
 * an open page asks again every second.
 * @param versions key that identifies the versions of the conflict
 */
function clashesKnown(versions: string, countNow: () => number | null): number | null {
  const known = clashCounts.get(versions);
  if (known !== undefined) return known;
  const clashes = countNow();
  clashCounts.set(versions, clashes);
  return clashes;
}

function countClashes(local: LocalMirror, base: BaseTree, id: DocId): number | null {
  const record = base.records.get(id);
  const problem = record === undefined ? null : problemOf(local, base, record);
  const places = problem === null ? null : placesOf(viewProblem(local, problem));
  return places === null ? null : clashesOf(places).length;
}

function noticeOfRefusal(trouble: Trouble, hasContent: boolean): Notice {
  const notice = noticeOfTrouble(trouble);
  const isKept = trouble.changed !== undefined && hasContent;
  return isKept ? { ...notice, next: "check the present versions; your result is kept below" } : notice;
}

function nextLink(folder: Folder, path: string): Required<Notice>["link"] {
  const next = nextConflict(folder, path);
  return next === null ? null : { href: documentAddress(folder.name, "conflict", next), label: "Next conflict →" };
}

function versionsIn(form: URLSearchParams) {
  const digest = (version: string) => (form.get(version) || null) as Digest | null;
  return { mine: digest("mine"), theirs: digest("theirs"), base: digest("base") };
}

/** Returns the choices that a form has for clashes, encoded as one string. */
function choicesIn(form: URLSearchParams): string {
  return String(new URLSearchParams([...form].filter(([field]) => field.startsWith("clash-"))));
}

/**
 * Returns the content that results from the user's choices for all clashes. Returns a notice if a
 * choice is missing or a version has changed.
 */
function decidedContent(ui: Ui, root: string, path: string, form: URLSearchParams): Content {
  const found = readProblem(ui, root, path);
  if (found.kind === "trouble") return { notice: noticeOfTrouble(found.trouble) };
  const { versions, mine, theirs } = found.value;
  const seen = versionsIn(form);
  if (versions.mine !== seen.mine || versions.theirs !== seen.theirs || versions.base !== seen.base) {
    const text = "The versions changed since this page was shown; nothing was done";
    return { notice: { tone: "asks", text, next: "check the present versions, then decide again" } };
  }
  const text = composeResult(placesOf(found.value) ?? [], form);
  if (text === null) return { notice: nothingDone("Decide every clash") };
  const isText = (shown: ShownText) => shown.kind === "text" && shown.text === text;
  return { way: isText(mine) ? "mine" : isText(theirs) ? "theirs" : "merged", text };
}

/**
 * Returns the content that the user typed; null if the form has none. First stores it as a draft,
 * so that a later error cannot lose it.
 */
function typedContent(ui: Ui, root: string, path: string, form: URLSearchParams): Content {
  const typed = form.get("text");
  if (typed === null) return null;
  const found = readProblem(ui, root, path);
  const before = ui.drafts.get(draftKey(root, path)) ?? null;
  const start = found.kind === "ok" ? startText(found.value, before, form.get("from")) : null;
  const text = withLineEnds(typed, start ?? "");
  ui.drafts.set(draftKey(root, path), text);
  return { way: "merged", text };
}
