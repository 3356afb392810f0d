import type { DocId } from "../contract/ids.ts";
import type { FileWithContent } from "../contract/resources.ts";
import { fileRoute } from "../contract/routes.ts";
import { takenText } from "../model/packed-text.ts";
import type { Answer, Fault, ServedFile } from "../ports/remote.ts";
import { faultOf, misreadFault } from "./fault.ts";
import type { Call, Reply } from "./reply.ts";
import type { Caller } from "./retry.ts";
import { readServed } from "./shapes.ts";
import type { TraitBook } from "./traits.ts";

/** What the calls of every resource are made with. */
export type CallContext = { readonly caller: Caller; readonly traits: TraitBook };

export function failed(fault: Fault): { readonly ok: false; readonly fault: Fault } {
  return { ok: false, fault };
}

/** Reads a file, with its text as it came. */
export async function getServed(context: CallContext, id: DocId): Promise<Answer<ServedFile>> {
  const reply = await context.caller.call(readOf(id));
  return reply.kind === "success" ? servedOf(context, id, reply) : failed(faultOf(READ, reply));
}

/** Reads files at one time; their answers in the order of the ids. */
export async function getAllServed(
  context: CallContext,
  ids: readonly DocId[],
): Promise<readonly Answer<ServedFile>[]> {
  const replies = await context.caller.callReads(ids.map(readOf));
  return Promise.all(
    replies.map((reply, n) =>
      reply.kind === "success" ? servedOf(context, ids[n]!, reply) : getServed(context, ids[n]!),
    ),
  );
}

function readOf(id: DocId): Call {
  return { method: "GET", path: fileRoute(id), body: null, accept: [200], size: "item" };
}

type Success = Extract<Reply, { readonly kind: "success" }>;

function servedOf({ traits }: CallContext, id: DocId, reply: Success): Answer<ServedFile> {
  traits.sawIdsOf(reply.value);
  const file = readServed(reply.value, reply.text, traits.idRule());
  if (!file.ok) return failed(notUnderstood(file.why, reply.requestId));
  if (file.value.resource.id !== id) return failed(misreadFault(READ, "another file was answered", reply.requestId));
  traits.sawPath(file.value.wirePath);
  return { ok: true, value: file.value.resource, requestId: reply.requestId };
}

export async function getFile(context: CallContext, id: DocId): Promise<Answer<FileWithContent>> {
  const served = await getServed(context, id);
  if (!served.ok) return served;
  const { content: came, ...file } = served.value;
  const content = takenText(came);
  if (content === null) return failed(notUnderstood("its text is damaged", served.requestId));
  return { ok: true, value: { ...file, content }, requestId: served.requestId };
}

function notUnderstood(why: string, requestId: string | null): Fault {
  return misreadFault(READ, `the file is not understood: ${why}`, requestId);
}

const READ = { method: "GET" } as const;
