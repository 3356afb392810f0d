import { resolve } from "../mirror/operations/manual/resolve.ts";
import type { ContentOrReason } from "../mirror/operations/manual/problem.ts";
import { runOperation } from "../mirror/operations/run-operation.ts";
import type { Digest } from "../contract/digest.ts";
import type { Trouble } from "../common/trouble.ts";
import { restoreLineEnds } from "../markdown/merge/style.ts";
import type { Notice } from "../page/layout.ts";
import { type ActionRequest, type ActionResult, makeUndo, startSync, type Ui } from "./page.ts";
import { documentAddress } from "./addresses.ts";
import { composeResult, splitConflict } from "./clashes.ts";
import type { Folder } from "./folders.ts";
import { toChoicesKey, toDraftKey } from "./jobs.ts";
import { BUSY_NOTICE, makeNothingDoneNotice, makeTroubleNotice, makeResolvedNotice } from "./messages.ts";
import { findNextConflict, readProblem, makeStartContent } from "./pages/conflict.ts";

const RESOLVE_WAYS = ["mine", "theirs", "merged", "keep", "delete", "recreate"] as const;

/**
 * Content that resolves a conflict; a notice if the content cannot be made; null if the form has
 * neither choices nor typed content.
 */
type ResolvedContent = Resolution | { readonly notice: Notice } | null;

/** `way`: `mine` or `theirs` if the result is exactly that version; otherwise `merged`. */
type Resolution = { readonly way: "mine" | "theirs" | "merged"; readonly text: string };

/** Resolves a conflict. Refuses if a version is no longer the one that the page showed. */
export async function resolveConflict(ui: Ui, { folder, form, params }: ActionRequest): Promise<ActionResult> {
  const { name, root } = folder;
  const path = params["*"]!;
  const sentWay = form.get("way");
  const isDecided = sentWay === "decided";
  if (isDecided || sentWay === "preview") ui.drafts.set(toChoicesKey(root, path), readChoices(form));
  if (sentWay === "preview")
    return { to: `${documentAddress(name, "conflict", path, { preview: "yes" })}#preview`, notice: null };
  const content = isDecided ? composeContent(ui, root, path, form) : readTypedContent(ui, root, path, form);
  if (content !== null && "notice" in content) return { notice: content.notice };
  const chosenWay = content?.way ?? RESOLVE_WAYS.find((candidate) => candidate === sentWay);
  if (chosenWay === undefined) return { notice: makeNothingDoneNotice("Choose a version") };
  if (ui.jobs.isBusy(root)) return { notice: BUSY_NOTICE };
  const mergedText = chosenWay === "merged" && content !== null ? { text: content.text } : {};
  const isForced = isDecided || form.get("force") !== null;
  const input = {
    paths: [path],
    way: chosenWay,
    force: isForced,
    expected: readVersions(form),
    noSync: true,
    ...mergedText,
  };
  const operationResult = await runOperation(root, resolve, input, ui);
  if (operationResult.kind === "trouble")
    return { notice: makeRefusalNotice(operationResult.trouble, content !== null) };
  for (const key of [toDraftKey(root, path), toChoicesKey(root, path)]) ui.drafts.delete(key);
  const { run, items } = operationResult.value;
  const [item] = items as [(typeof items)[number]];
  const notice = {
    ...makeResolvedNotice(chosenWay, item.notes),
    link: makeNextLink(folder, path),
    ...makeUndo(ui, folder, run),
  };
  startSync(ui, folder);
  return { to: documentAddress(name, "conflict", item.path), notice };
}

function makeRefusalNotice(trouble: Trouble, hasContent: boolean): Notice {
  const notice = makeTroubleNotice(trouble);
  const isKept = trouble.changed !== undefined && hasContent;
  return isKept ? { ...notice, next: "check the present versions; your result is kept below" } : notice;
}

function makeNextLink(folder: Folder, path: string): Required<Notice>["link"] {
  const nextPath = findNextConflict(folder, path);
  return nextPath === null
    ? null
    : { href: documentAddress(folder.name, "conflict", nextPath), label: "Next conflict →" };
}

function readVersions(form: URLSearchParams) {
  const readDigest = (version: string) => (form.get(version) || null) as Digest | null;
  return { mine: readDigest("mine"), theirs: readDigest("theirs"), base: readDigest("base") };
}

function readChoices(form: URLSearchParams): string {
  return String(new URLSearchParams([...form].filter(([field]) => field.startsWith("clash-"))));
}

/**
 * Returns the content that results from the user's choices. Returns a notice if a choice is missing
 * or a version has changed.
 */
function composeContent(ui: Ui, root: string, path: string, form: URLSearchParams): ResolvedContent {
  const problem = readProblem(ui, root, path);
  if (problem.kind === "trouble") return { notice: makeTroubleNotice(problem.trouble) };
  const { versions, mine, theirs } = problem.value;
  const shownVersions = readVersions(form);
  if ((["mine", "theirs", "base"] as const).some((side) => versions[side] !== shownVersions[side])) {
    const text = "The versions changed since this page was shown; nothing was done";
    return { notice: { tone: "asks", text, next: "check the present versions, then decide again" } };
  }
  const text = composeResult(splitConflict(problem.value) ?? [], form);
  if (text === null) return { notice: makeNothingDoneNotice("Decide every clash") };
  const isText = (shown: ContentOrReason) => shown.kind === "text" && shown.text === text;
  return { way: isText(mine) ? "mine" : isText(theirs) ? "theirs" : "merged", text };
}

/**
 * Returns the typed content; null if the form has no typed content. First stores the content as a
 * draft, so that a later error cannot lose the content.
 */
function readTypedContent(ui: Ui, root: string, path: string, form: URLSearchParams): ResolvedContent {
  const typedText = form.get("text");
  if (typedText === null) return null;
  const problem = readProblem(ui, root, path);
  const previousDraft = ui.drafts.get(toDraftKey(root, path)) ?? null;
  const startContent = problem.kind === "ok" ? makeStartContent(problem.value, previousDraft, form.get("from")) : null;
  const text = restoreLineEnds(typedText, startContent ?? "");
  ui.drafts.set(toDraftKey(root, path), text);
  return { way: "merged", text };
}
