/**
 * Creates, changes and deletes documents on the service, and checks the answers. Repeats a write
 * only if it certainly was not sent.
 */

import type { ChangeId, DocId } from "../../contract/ids.ts";
import type { FileResource } from "../../contract/resources.ts";
import { contentRoute, FILES, fileRoute } from "../../contract/routes.ts";
import type { Answer, PutResult, WrittenFile } from "../ports/remote.ts";
import type { RemotePath } from "../../contract/path.ts";
import { toFault } from "./fault.ts";
import type { ApiCall } from "./reply.ts";
import { createAtPath, learnFromPatch, type PatchBody } from "./learn.ts";
import {
  type CallContext,
  failedAnswer,
  readFileReply,
  getFile,
  isCreatedAt,
  failAsUnusable,
  OTHER_FILE,
} from "./reads.ts";
import { readEdit, readFile, readFileId, readReview } from "./shapes.ts";

export async function createFile(
  context: CallContext,
  path: RemotePath,
  content: string,
): Promise<Answer<WrittenFile>> {
  const { call, reply } = await createAtPath(context, FILES, path, "file", { content });
  const createdFile = readFileReply(context, call, reply, readFile, null);
  const id = createdFile.ok || reply.kind !== "success" ? null : readFileId(reply.value);
  // If the answer to the POST lacks fields, mdmirror reads the new document. If that GET fails, the
  // result is the fault of the POST.
  const live = id === null ? createdFile : await getFile(context, id);
  if (!live.ok) return createdFile;
  return isCreatedAt(path, live.value.path) ? live : failAsUnusable(call, live, OTHER_FILE);
}

export async function putContent(
  context: CallContext,
  id: DocId,
  baseChangeId: ChangeId,
  content: string,
): Promise<Answer<PutResult>> {
  const call: ApiCall = {
    method: "PUT",
    path: contentRoute(id),
    body: { baseChangeId, content },
    accept: [200, 202],
    size: "item",
  };
  const reply = await context.caller.call(call);
  if (reply.kind !== "success") {
    if (reply.kind === "problem" && reply.code === "edit_conflict") context.traits.learn({ conflicts: "refused" });
    return failedAnswer(toFault(call, reply));
  }
  if (reply.status === 202) {
    const review = readReview(reply.value);
    if (review.reason === "conflict") context.traits.learn({ conflicts: "reviewed" });
    return { ok: true, value: { kind: "in-review", ...review }, requestId: reply.requestId };
  }
  const file = readEdit(reply.value);
  if (!file.ok) return failAsUnusable(call, reply, file.why);
  if (file.value.id !== null && file.value.id !== id) return failAsUnusable(call, reply, OTHER_FILE);
  if (file.value.wirePath !== null) context.traits.learnFromPath(file.value.wirePath);
  const { lastChangeId: changeId, content: saved } = file.value;
  return { ok: true, value: { kind: "live", changeId, content: saved }, requestId: reply.requestId };
}

export async function patchFile(context: CallContext, id: DocId, patch: PatchBody): Promise<Answer<FileResource>> {
  const call: ApiCall = { method: "PATCH", path: fileRoute(id), body: patch, accept: [200], size: "item" };
  const answer = readFileReply(context, call, await context.caller.call(call), readFile, id);
  return learnFromPatch(context, patch, "file", answer);
}

export async function deleteFile(context: CallContext, id: DocId): Promise<Answer<null>> {
  const call: ApiCall = { method: "DELETE", path: fileRoute(id), body: null, accept: [200, 204], size: "item" };
  const reply = await context.caller.call(call);
  if (reply.kind !== "success") return failedAnswer(toFault(call, reply));
  return { ok: true, value: null, requestId: reply.requestId };
}
