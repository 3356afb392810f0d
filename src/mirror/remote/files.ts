import type { JsonObject } from "../../contract/json.ts";
import type { ChangeId, DocId } from "../../contract/ids.ts";
import type { FileResource } from "../../contract/resources.ts";
import { contentRoute, FILES, fileRoute } from "../../contract/routes.ts";
import type { Answer, PutResult, WrittenFile } from "../ports/remote.ts";
import type { RemotePath } from "../../contract/path.ts";
import { faultOf } from "./fault.ts";
import type { Call } from "./reply.ts";
import { createAtPath, learnFromPatch, type Patch } from "./learn.ts";
import { failed, type CallContext, getFile, misread } from "./reads.ts";
import { type PartialFile, readEdit, readPartialFile, readReview } from "./shapes.ts";

/**
 * Writes files. Each write is sent once, unless it was certainly not sent, and its answer is
 * checked.
 */

export async function createFile(
  context: CallContext,
  path: RemotePath,
  content: string,
): Promise<Answer<WrittenFile>> {
  const { call, reply } = await createAtPath(context, FILES, path, "file", { content });
  if (reply.kind !== "success") return failed(faultOf(call, reply));
  const unusable = (why: string) =>
    misread(call, reply, `mdmirror does not understand the answer about the new file: ${why}`);
  const file = readPartialFile(reply.value);
  if (!file.ok) return unusable(file.why);
  const { id, lastChangeId } = file.value;
  if (id === null) return unusable("it has no id of the form doc_…");
  if (file.value.path !== null) context.traits.sawPath(file.value.path.wire);
  // Only the id of the answer is needed: the path is the requested one, and a new file is not
  // protected unless the answer has `protected`.
  if (lastChangeId === null) return readBack(context, call, id, reply);
  const made = { id, lastChangeId, path: file.value.path?.path ?? path, protected: file.value.protected ?? false };
  return { ok: true, value: made, requestId: reply.requestId };
}

export async function putContent(
  context: CallContext,
  id: DocId,
  baseChangeId: ChangeId,
  content: string,
): Promise<Answer<PutResult>> {
  const call: Call = {
    method: "PUT",
    path: contentRoute(id),
    body: { baseChangeId, content },
    accept: [200, 202],
    size: "item",
  };
  const reply = await context.caller.call(call);
  if (reply.kind !== "success") {
    if (reply.kind === "problem" && reply.code === "edit_conflict") context.traits.learn({ conflicts: "refused" });
    return failed(faultOf(call, reply));
  }
  if (reply.status === 202) {
    const review = readReview(reply.value);
    if (review.reason === "conflict") context.traits.learn({ conflicts: "reviewed" });
    return { ok: true, value: { kind: "in-review", ...review }, requestId: reply.requestId };
  }
  const file = readEdit(reply.value);
  if (!file.ok) return misread(call, reply, file.why);
  if (file.value.id !== null && file.value.id !== id)
    return misread(call, reply, "the service answered with another file");
  if (file.value.path !== null) context.traits.sawPath(file.value.path.wire);
  const { lastChangeId: changeId, content: saved } = file.value;
  return { ok: true, value: { kind: "live", changeId, content: saved }, requestId: reply.requestId };
}

export async function patchFile(context: CallContext, id: DocId, patch: Patch): Promise<Answer<WrittenFile>> {
  return learnFromPatch(context, patch, "file", await sendPatch(context, id, patch));
}

async function sendPatch(context: CallContext, id: DocId, body: JsonObject): Promise<Answer<WrittenFile>> {
  const call: Call = { method: "PATCH", path: fileRoute(id), body, accept: [200, 204], size: "item" };
  const reply = await context.caller.call(call);
  if (reply.kind !== "success") return failed(faultOf(call, reply));
  if (reply.value === null) return readBack(context, call, id, reply);
  const file = readPartialFile(reply.value);
  if (!file.ok) return misread(call, reply, file.why);
  if (file.value.id !== null && file.value.id !== id)
    return misread(call, reply, "the service answered with another file");
  if (file.value.path !== null) context.traits.sawPath(file.value.path.wire);
  const whole = wholeFile(file.value, id);
  if (whole === null) return readBack(context, call, id, reply);
  return { ok: true, value: whole, requestId: reply.requestId };
}

function wholeFile(file: PartialFile, id: DocId): FileResource | null {
  const { lastChangeId, path, protected: isProtected } = file;
  if (lastChangeId === null || path === null || isProtected === null) return null;
  return { id, lastChangeId, path: path.path, protected: isProtected };
}

/**
 * Reads a document after its write, because the answer lacked the result. If the read fails, the
 * write is uncertain.
 */
async function readBack(
  context: CallContext,
  call: Call,
  id: DocId,
  reply: { readonly requestId: string | null },
): Promise<Answer<WrittenFile>> {
  const live = await getFile(context, id);
  if (!live.ok) return misread(call, reply, "the answer was incomplete, and mdmirror could not read the document back");
  return { ok: true, value: live.value, requestId: reply.requestId };
}

export async function deleteFile(context: CallContext, id: DocId): Promise<Answer<null>> {
  const call: Call = { method: "DELETE", path: fileRoute(id), body: null, accept: [200, 204], size: "item" };
  const reply = await context.caller.call(call);
  if (reply.kind !== "success") return failed(faultOf(call, reply));
  return { ok: true, value: null, requestId: reply.requestId };
}
