import type { DocId } from "../../contract/ids.ts";
import { type LocalPath, pathKey, type RemotePath } from "../../contract/path.ts";
import type { FileResource, FileWithContent } from "../../contract/resources.ts";
import { fileRoute } from "../../contract/routes.ts";
import type { Answer, Fault } from "../ports/remote.ts";
import { faultOf, misreadFault } from "./fault.ts";
import type { Call, Reply } from "./reply.ts";
import type { Caller } from "./retry.ts";
import { type ListedItem, type ParseResult, readFileWithContent } from "./shapes.ts";
import type { TraitLearner } from "./traits.ts";

/** Context that the calls of all resources share. */
export type CallContext = { readonly caller: Caller; readonly traits: TraitLearner };

export function failed(fault: Fault): { readonly ok: false; readonly fault: Fault } {
  return { ok: false, fault };
}

/** Returns a failed call with the reason why the service's reply cannot be used. */
export function unusableReply(call: Call, { requestId }: { readonly requestId: string | null }, why: string) {
  return failed(misreadFault(call, why, requestId));
}

export const OTHER_FILE = "the service answered with another file";

/**
 * Returns true if an answer to a POST is about the new item. A service may keep another spelling of
 * its path, of which a folder exists already.
 */
export function isCreatedAt(path: RemotePath, answered: RemotePath): boolean {
  const [sent, saved] = [path, answered].map((one) => pathKey(one as string as LocalPath, ALL_FOLDED));
  return sent === saved;
}

const ALL_FOLDED = { foldsCase: true, foldsUnicode: true };

export async function getFile(context: CallContext, id: DocId): Promise<Answer<FileWithContent>> {
  const call: Call = { method: "GET", path: fileRoute(id), body: null, accept: [200], size: "item" };
  return readFileReply(context, call, await context.caller.call(call), readFileWithContent, id);
}

/**
 * Returns the file in a reply.
 * @param id id of the file that was read or changed; null for a new file
 */
export function readFileReply<File extends FileResource>(
  { traits }: CallContext,
  call: Call,
  reply: Reply,
  read: (value: unknown) => ParseResult<ListedItem<File>>,
  id: DocId | null,
): Answer<File> {
  if (reply.kind !== "success") return failed(faultOf(call, reply));
  const file = read(reply.value);
  if (!file.ok)
    return unusableReply(call, reply, `mdmirror does not understand the answer about the file: ${file.why}`);
  if (id !== null && file.value.resource.id !== id) return unusableReply(call, reply, OTHER_FILE);
  traits.learnFromPath(file.value.wirePath);
  return { ok: true, value: file.value.resource, requestId: reply.requestId };
}
