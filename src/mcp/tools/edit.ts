import { PATH } from "../../mirror/operations/define.ts";
import * as z from "zod";
import { readConfig } from "../../mirror/settings/config.ts";
import { MIRROR_FOLDER } from "../../mirror/model/mirror-folder.ts";
import {
  createDocument,
  moveDocument,
  openSaveContext,
  readDocument,
  removeDocument,
  saveText,
  keepLineEnds,
} from "../../mirror/operations/manual/save.ts";
import { ok, unwrap } from "../../common/trouble.ts";
import type { Digest } from "../../contract/digest.ts";
import {
  countTextLines,
  cutLines,
  defineTool,
  formatTextDiff,
  makeAnswer,
  makeRefusal,
  refuseCall,
  type ServedMirror,
  type ToolHost,
  type ToolResult,
  VERSION_SCHEMA,
} from "../tool.ts";
import { withLocal } from "../../mirror/folder/open-local.ts";
import { readCurrent } from "./read.ts";

/**
 * LIMIT: number of characters of content in one call. A service accepts fewer characters, so
 * mdmirror's own check reports a document that is too long for the service.
 */
const TEXT_SCHEMA = z.string().max(200_000);

const UPLOAD_NOTE = "mdmirror uploads it: wait reports when it is live";

export const WRITE_TOOL = defineTool({
  name: "write",
  title: "Replace a document's content",
  description:
    "Replaces the whole content of a document that is still the version that you read. If it is not, nothing is written, and the answer shows what changed since a synced version. To change a part, use edit.",
  effect: "edits",
  isDestructive: true,
  input: { path: PATH, version: VERSION_SCHEMA, text: TEXT_SCHEMA.describe("the complete new content") },
  async run(mirror, { path, version, text }, host) {
    return replaceContent(mirror, { path, version }, host, (before) => ({ text: keepLineEnds(before, text) }));
  },
});

export const EDIT_TOOL = defineTool({
  name: "edit",
  title: "Edit a part of a document",
  description:
    "Replaces parts of a document that is still the version that you read, all of them or none. Each `old_text` has to occur exactly once, or `all` has to be true. If the version is stale, nothing is written, and the answer shows what changed since a synced version.",
  effect: "edits",
  isDestructive: true,
  input: {
    path: PATH,
    version: VERSION_SCHEMA,
    edits: z
      .array(
        z.object({
          old_text: TEXT_SCHEMA.min(1).describe("exactly as in the document, with enough context to occur once"),
          new_text: TEXT_SCHEMA,
          all: z.boolean().describe("replace every occurrence").optional(),
        }),
      )
      .min(1)
      .max(100),
  },
  async run(mirror, { path, version, edits }, host) {
    return replaceContent(mirror, { path, version }, host, (before) => {
      const replaceResult = replaceIn(before, edits);
      if (replaceResult.kind === "replaced")
        return { text: replaceResult.text, facts: { places: replaceResult.places } };
      const { edit, count } = replaceResult;
      const message = `${path}: the old_text of edit ${edit} is ${count === 0 ? "not found" : `there ${count} times`}; nothing was written`;
      const nextStep = count === 0 ? "read the place again, and copy it exactly" : "give more context, or all: true";
      return refuseCall(message, nextStep, count === 0 ? "not-found" : "many-places", { path, edit, count });
    });
  },
});

export const CREATE_TOOL = defineTool({
  name: "create",
  title: "Create a document",
  description:
    "Makes a new document, with the folders above it. Where something is at the path already, nothing is written: then read it, and use write or edit.",
  effect: "edits",
  input: { path: PATH, text: TEXT_SCHEMA.describe("its whole content") },
  async run({ root }, { path, text }, { openOptions }) {
    const version = unwrap(await createDocument(openSaveContext(root, openOptions), path, text));
    if (version !== null) return makeAnswer({ path, version, next: UPLOAD_NOTE });
    const nextStep = "read it, then use write or edit with its version";
    return refuseCall(`something is at ${path} already`, nextStep, "taken", { path });
  },
});

/** Replaces the content of a document, if the caller has read the current version. */
async function replaceContent(
  mirror: ServedMirror,
  { path, version }: { readonly path: string; readonly version: string },
  host: ToolHost,
  change: (before: string) => { readonly text: string; readonly facts?: object } | ToolResult,
): Promise<ToolResult> {
  const saveContext = openSaveContext(mirror.root, host.openOptions);
  const currentDocument = unwrap(await readDocument(saveContext, path));
  if (currentDocument?.version !== version) return refuseStale(mirror, path, version, host);
  const changeResult = change(currentDocument.text);
  if ("kind" in changeResult) return changeResult;
  const { text, facts } = changeResult;
  const savedVersion = unwrap(await saveText(saveContext, path, text, version as Digest));
  if (savedVersion === null) return refuseStale(mirror, path, version, host);
  const bytes = Buffer.byteLength(text);
  return makeAnswer({ path, version: savedVersion, previous: version, bytes, ...facts, next: UPLOAD_NOTE });
}

type Replacement = {
  readonly old_text: string;
  readonly new_text: string;
  readonly all?: boolean | undefined;
};

type ReplaceResult =
  | { readonly kind: "replaced"; readonly text: string; readonly places: number }
  /**
   * `unfit`: the edit with the number `edit` (from 1) cannot be applied, because its
   * `old_text` occurs `count` times.
   */
  | { readonly kind: "unfit"; readonly edit: number; readonly count: number };

/**
 * Applies edits one after the other. Each `old_text` must occur exactly once in the result of the
 * earlier edits; with `all`, at least once. If the document uses CR LF, a line feed in an edit also
 * matches CR LF.
 */
export function replaceIn(text: string, edits: readonly Replacement[]): ReplaceResult {
  const isCrlf = text.includes("\r\n") && !/(?<!\r)\n/.test(text);
  const useLineEnds = (piece: string) => (isCrlf ? piece.replaceAll("\r\n", "\n").replaceAll("\n", "\r\n") : piece);
  let editedText = text;
  let occurrenceCount = 0;
  for (const [index, { old_text, new_text, all = false }] of edits.entries()) {
    const pieces = editedText.split(useLineEnds(old_text));
    const count = pieces.length - 1;
    if (count === 0 || (count > 1 && !all)) return { kind: "unfit", edit: index + 1, count };
    editedText = pieces.join(useLineEnds(new_text));
    occurrenceCount += count;
  }
  return { kind: "replaced", text: editedText, places: occurrenceCount };
}

/**
 * LIMIT: number of characters of the diff in a refusal, so that the answer stays short. The agent
 * can read the whole document again.
 */
const DIFF_CHARACTERS = 8_000;

/**
 * Refuses a change, because the document has changed since the version `given`, which the caller
 * read. Adds a diff from that version to the current content.
 */
async function refuseStale(mirror: ServedMirror, path: string, given: string, host: ToolHost): Promise<ToolResult> {
  const { text, version } = await readCurrent(mirror, path, host);
  const readContent = readStoredContent(mirror.root, given as Digest, host);
  const message = `${path} changed since you read it: nothing was written`;
  const facts = { path, version, given };
  if (readContent === null) {
    const next = "read it again: the content of the version that you gave is not known";
    return makeRefusal({ kind: "usage", what: message, next, code: "stale" }, facts);
  }
  const diffText = formatTextDiff({ before: `${path} as you read it`, after: `${path} now` }, readContent, text);
  const diffPart = cutLines(diffText, 1, Number.MAX_SAFE_INTEGER, DIFF_CHARACTERS);
  const cutCount = countTextLines(diffText) - diffPart.to;
  const cutFacts = cutCount > 0 ? { diffLinesLeftOut: cutCount } : {};
  const next =
    cutCount > 0 ? "read it again" : "see the second block for what changed since; then change it with this `version`";
  return makeRefusal({ kind: "usage", what: message, next, code: "stale" }, { ...facts, ...cutFacts }, diffPart.text);
}

/**
 * Returns the content of a version from the content store; null if the store lacks that content.
 * The store has versions with links as on the service. A local version whose links were converted
 * to paths is therefore not found.
 */
function readStoredContent(root: string, version: Digest, { openOptions }: ToolHost): string | null {
  const readResult = withLocal(root, openOptions, ({ state }) => ok(state.text(version)));
  // Without the content, only the optional diff is missing in the answer. So an error of the state
  // file is not reported; other calls report such an error.
  return readResult.kind === "trouble" ? null : readResult.value;
}

export const MOVE_TOOL = defineTool({
  name: "move",
  title: "Move or rename a document",
  description:
    "Moves a document to a free path, and keeps its id and history. If links are translated, the next sync updates links to it.",
  effect: "edits",
  input: { path: PATH, to: PATH.describe("its new path, with the ending .md"), version: VERSION_SCHEMA.optional() },
  async run(mirror, { path, to, version }, host) {
    const { version: now } = await readCurrent(mirror, path, host);
    if (version !== undefined && version !== now) return refuseStale(mirror, path, version, host);
    const moveResult = unwrap(await moveDocument(openSaveContext(mirror.root, host.openOptions), { path, to }, now));
    if (moveResult === null) {
      const message = `${path} was not moved: something is at ${to}, or the document changed at this moment`;
      const next = "read both with list and read; then try again, or choose another path";
      return refuseCall(message, next, "taken", { path, to });
    }
    const config = readConfig(`${mirror.root}/${MIRROR_FOLDER}`);
    const linksFollow = config.kind === "ok" && config.value.links.mode === "translate";
    return makeAnswer({ path: to, from: path, version: now, linksFollow, next: UPLOAD_NOTE });
  },
});

export const DELETE_TOOL = defineTool({
  name: "delete",
  title: "Delete a document",
  description:
    "Deletes a document that still is the version that you read. mdmirror deletes it on the service too. A safety check stops many deletions until a person approves them. restore undoes a deletion.",
  effect: "edits",
  isDestructive: true,
  input: { path: PATH, version: VERSION_SCHEMA },
  async run(mirror, { path, version }, host) {
    const saveContext = openSaveContext(mirror.root, host.openOptions);
    const trashPlace = unwrap(await removeDocument(saveContext, path, version as Digest));
    if (trashPlace === null) return refuseStale(mirror, path, version, host);
    const keptAs = `${MIRROR_FOLDER}/${trashPlace}`;
    const restoreHint = `to restore it: restore, or ${keptAs} in the folder, where its content is kept`;
    return makeAnswer({ path, deleted: version, keptAs, next: `${UPLOAD_NOTE}; ${restoreHint}` });
  },
});
