import type { DocId } from "../../contract/ids.ts";
import { type LocalPath, pathKey, type RemotePath } from "../../contract/path.ts";
import type { FileResource, FileWithContent } from "../../contract/resources.ts";
import { fileRoute } from "../../contract/routes.ts";
import type { Answer, Fault } from "../ports/remote.ts";
import { toFault, createMisreadFault } from "./fault.ts";
import type { ApiCall, ApiReply } from "./reply.ts";
import type { ApiCaller } from "./retry.ts";
import { type ListedItem, type ParseResult, readFileWithContent } from "./shapes.ts";
import type { TraitLearner } from "./traits.ts";

export type CallContext = { readonly caller: ApiCaller; readonly traits: TraitLearner };

export function failedAnswer(fault: Fault): { readonly ok: false; readonly fault: Fault } {
  return { ok: false, fault };
}

export function failAsUnusable(call: ApiCall, { requestId }: { readonly requestId: string | null }, why: string) {
  return failedAnswer(createMisreadFault(call, why, requestId));
}

export const OTHER_FILE = "the service answered with another file";

/**
 * Returns true if the service created the document at the requested path. The two paths may differ
 * in spelling, because a service may use the spelling of an existing folder.
 */
export function isCreatedAt(path: RemotePath, answered: RemotePath): boolean {
  const [sent, saved] = [path, answered].map((one) => pathKey(one as string as LocalPath, FOLD_EVERYTHING));
  return sent === saved;
}

const FOLD_EVERYTHING = { foldsCase: true, foldsUnicode: true };

export async function getFile(context: CallContext, id: DocId): Promise<Answer<FileWithContent>> {
  const call: ApiCall = { method: "GET", path: fileRoute(id), body: null, accept: [200], size: "item" };
  return readFileReply(context, call, await context.caller.call(call), readFileWithContent, id);
}

/**
 * Reads the document in the answer to a request.
 * @param id id that the document must have; null for a new document
 */
export function readFileReply<File extends FileResource>(
  { traits }: CallContext,
  call: ApiCall,
  reply: ApiReply,
  read: (value: unknown) => ParseResult<ListedItem<File>>,
  id: DocId | null,
): Answer<File> {
  if (reply.kind !== "success") return failedAnswer(toFault(call, reply));
  const file = read(reply.value);
  if (!file.ok)
    return failAsUnusable(call, reply, `mdmirror does not understand the answer about the file: ${file.why}`);
  if (id !== null && file.value.resource.id !== id) return failAsUnusable(call, reply, OTHER_FILE);
  traits.learnFromPath(file.value.wirePath);
  return { ok: true, value: file.value.resource, requestId: reply.requestId };
}
