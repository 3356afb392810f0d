import type { JsonObject } from "../contract/json.ts";
import type { ReviewReason } from "../contract/resources.ts";
import { includes } from "./access.ts";
import { type Answer, done, isRefused, type Refused, refuse, refuseFields } from "./answer.ts";
import { memberErrors, readBody, readObject } from "./body.ts";
import { type Call, newId, type RequestContext, type ServerContext } from "./context.ts";
import type { FileRow } from "./files-table.ts";
import { moveProtected } from "./guard-moves.ts";
import { readContent, readId, readName, readParent, readPathId } from "./input.ts";
import { holdKeptGrants, keepGrantsOfFile } from "./kept-grants.ts";
import { findFile, findPlace, findWritableFile, occupied, pathIn } from "./place.ts";
import { presentEdit, presentFile, presentReview } from "./present.ts";

const PATCH_MEMBERS = {
  name: { type: "string", required: false },
  parentId: { type: "string-or-null", required: false },
  protected: { type: "boolean", required: false },
} as const;

/** PATCH /v1/files/{id} */
export function patchFile(call: Call): Answer {
  const id = readPathId(call, "doc_");
  if (isRefused(id)) return id;
  const members = readOneMember(call, PATCH_MEMBERS);
  if (isRefused(members)) return members;
  const { context } = call;
  if (Object.hasOwn(members, "name")) {
    const name = readName(members["name"] as string, "file", "/name");
    if (isRefused(name)) return name;
    const row = findWritableFile(context, id);
    return isRefused(row) ? row : placeFile(context, row, row.folder, name);
  }
  if (Object.hasOwn(members, "parentId")) return moveFile(context, id, members["parentId"] as string | null);
  const row = findFile(context, id);
  if (isRefused(row)) return row;
  if (!includes(context.access.file(row), "full")) {
    return refuse("forbidden", "Changing protected needs Full access.");
  }
  context.store.files.protect(row.seq, members["protected"] as boolean);
  return done(200, presentFile(context.store.files.bySeq(row.seq)!));
}

/** Reads the body of a PATCH, which has exactly one of the members. */
export function readOneMember(call: Call, spec: Parameters<typeof memberErrors>[1]): JsonObject | Refused {
  const members = readObject(call.body);
  if (isRefused(members)) return members;
  const errors = memberErrors(members, spec);
  if (errors.length > 0) return refuseFields(errors);
  const sent = Object.keys(members);
  if (sent.length === 1) return members;
  const detail = `Exactly one of ${Object.keys(spec).join(", ")} must be sent.`;
  if (sent.length === 0) return refuse("invalid_request", detail);
  return refuseFields(sent.map((name) => ({ code: "mutually_exclusive", pointer: `/${name}`, detail })));
}

/** A `parentId` of null is the root. */
function moveFile(context: RequestContext, id: string, sent: string | null): Answer {
  const parentId = readParent(context, sent);
  if (isRefused(parentId)) return parentId;
  const row = findWritableFile(context, id);
  if (isRefused(row)) return row;
  const place = findPlace(context, parentId);
  return isRefused(place) ? place : placeFile(context, row, place.seq, row.name, place.path);
}

function placeFile(context: RequestContext, row: FileRow, folder: number, name: string, folderPath?: string): Answer {
  const { files } = context.store;
  const holder = files.byName(context.workspace.seq, folder, name);
  if (holder !== undefined && holder.seq !== row.seq) {
    return occupied(folderPath === undefined ? name : pathIn({ path: folderPath }, name));
  }
  return moveProtected(context, row.protected === 1 ? [row] : [], () => {
    files.place(row.seq, folder, name);
    const placed = files.bySeq(row.seq)!;
    holdKeptGrants(context, placed.path);
    return done(200, presentFile(placed));
  });
}

const CONTENT_MEMBERS = {
  baseChangeId: { type: "string", required: true },
  content: { type: "string", required: true },
} as const;

/** PUT /v1/files/{id}/content */
export function putContent(call: Call): Answer {
  const sent = readPut(call);
  if (isRefused(sent)) return sent;
  const { context } = call;
  const row = findWritableFile(context, sent.id);
  if (isRefused(row)) return row;
  const base = context.store.changes.base(sent.baseId, row.seq);
  if (base === null) {
    const detail = "baseChangeId is not a change of this file.";
    return refuse("invalid_base_change", detail, [{ code: "invalid_format", pointer: "/baseChangeId", detail }]);
  }
  if (row.protected === 1) return submit(context, row, sent, "protected");
  const saved = saveCombined(context, row, { id: sent.baseId, text: base.text }, sent.content);
  return saved === null ? submit(context, row, sent, "conflict") : done(200, presentEdit(saved.row, saved.text));
}

type SentContent = { readonly id: string; readonly baseId: string; readonly content: string };

function readPut(call: Call): SentContent | Refused {
  const id = readPathId(call, "doc_");
  if (isRefused(id)) return id;
  const members = readBody(call.body, CONTENT_MEMBERS);
  if (isRefused(members)) return members;
  const baseId = readId(call.context, members["baseChangeId"] as string, "chg_", "/baseChangeId");
  if (isRefused(baseId)) return baseId;
  const content = readContent(members["content"] as string);
  return isRefused(content) ? content : { id, baseId, content };
}

/**
 * Makes a text live, combined with what became live since its base.
 * @param base a change of this file, and its text; null: it was pruned
 * @returns null, and nothing is saved, where the two cannot be combined, or the combined text is
 * over the limit, for which neither side alone is at fault
 */
export function saveCombined(
  server: ServerContext,
  row: FileRow,
  base: { readonly id: string; readonly text: string | null },
  sent: string,
): { readonly row: FileRow; readonly text: string } | null {
  const live = server.store.changes.text(row.changeId);
  const text = base.id === row.changeId ? sent : combineWithLive(server, base.text, sent, live);
  if (text === null || isRefused(readContent(text))) return null;
  return { row: saveText(server, row, live, text), text };
}

/**
 * ASSUMES: any change of the file can be the base of a write, even one in review or rejected,
 * because the caller read its text; a change whose text was pruned combines only with an equal text
 * (contract test "takes a change in review as a base").
 */
function combineWithLive({ combine }: ServerContext, base: string | null, sent: string, live: string): string | null {
  if (base === null) return sent === live ? live : null;
  return combine(base, sent, live);
}

/**
 * Makes a text live.
 * ASSUMES: a write that does not change the live text makes no new change (contract test "makes no
 * new change for equal content").
 */
export function saveText(server: ServerContext, row: FileRow, live: string, text: string): FileRow {
  if (text === live) return row;
  const id = newId(server, "chg_");
  const at = server.now();
  server.store.changes.insert({ id, file: row.seq, baseId: row.changeId, status: "saved", text, at });
  server.store.files.setChange(row.seq, id);
  return { ...row, changeId: id };
}

/** Sends the edit to review; until it is decided, the file cannot be deleted. */
function submit(context: RequestContext, row: FileRow, sent: SentContent, reason: ReviewReason): Answer {
  const { baseId, content: text } = sent;
  const id = newId(context, "chg_");
  const at = context.now();
  context.store.changes.insert({ id, file: row.seq, baseId, status: "in_review", reason, text, at });
  return done(202, presentReview(row, id, reason));
}

/**
 * DELETE /v1/files/{id}
 * ASSUMES: deleting needs Can edit (contract test "refuses writes with Can read"); of two refusals,
 * the flag's comes first.
 */
export function deleteFile(call: Call): Answer {
  const id = readPathId(call, "doc_");
  if (isRefused(id)) return id;
  const { context } = call;
  const row = findWritableFile(context, id);
  if (isRefused(row)) return row;
  if (row.protected === 1) return refuse("file_protected", "The file is protected; nothing was removed.");
  if (context.store.changes.hasReview(row.seq)) {
    return refuse("changes_in_review", "The file has changes in review; nothing was removed.");
  }
  keepGrantsOfFile(context, row.seq);
  context.store.changes.removeOf(row.seq);
  context.store.files.remove(row.seq);
  return done(204);
}
