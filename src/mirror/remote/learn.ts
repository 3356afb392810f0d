/** Learns properties of the service from its answers to writes. */

import type { JsonObject } from "../../contract/json.ts";
import type { NameKind } from "../../contract/names.ts";
import type { DirId } from "../../contract/ids.ts";
import type { Answer, Fault } from "../ports/remote.ts";
import type { RemotePath } from "../../contract/path.ts";
import { toFault } from "./fault.ts";
import type { ApiCall, ApiReply } from "./reply.ts";
import type { CallContext } from "./reads.ts";
import type { TraitLearner } from "./traits.ts";

/**
 * Creates a document or folder by its path. Some services write paths with a leading slash, some
 * without. mdmirror learns the form from the first path that the service sends. Until then, it
 * sends a refused path once more in the other form.
 * @param otherFields members of the request body besides the path
 * @returns the last request and its reply
 */
export async function createAtPath(
  context: CallContext,
  route: string,
  path: RemotePath,
  kind: NameKind,
  otherFields: JsonObject,
): Promise<{ readonly call: ApiCall; readonly reply: ApiReply }> {
  const { caller, traits } = context;
  const callWith = (spelled: string): ApiCall => {
    return { method: "POST", path: route, body: { path: spelled, ...otherFields }, accept: [200, 201], size: "item" };
  };
  let call = callWith(traits.inServiceForm(path));
  let reply = await caller.call(call);
  if (isRefusalAt(reply, "/path") && !traits.slashIsKnown()) {
    const otherForm = traits.current().leadingSlash ? path : `/${path}`;
    call = callWith(otherForm);
    reply = await caller.call(call);
    if (reply.kind === "success") traits.learnFromPath(otherForm);
  }
  if (reply.kind !== "success") learnFromRefusal(traits, toFault(call, reply), "/path", path, kind);
  return { call, reply };
}

function isRefusalAt(reply: ApiReply, pointer: string): boolean {
  return reply.kind === "problem" && reply.code === "invalid_request" && reply.pointers.includes(pointer);
}

/** Body of a PATCH, with one field. A `parentId` of null moves the item to the root. */
export type PatchBody =
  | { readonly name: string }
  | { readonly parentId: DirId | null }
  | { readonly protected: boolean };

export function learnFromPatch<T extends { readonly path: RemotePath }>(
  { traits }: CallContext,
  patch: PatchBody,
  kind: NameKind,
  answer: Answer<T>,
): Answer<T> {
  if ("name" in patch && !answer.ok) learnFromRefusal(traits, answer.fault, "/name", patch.name, kind);
  if ("parentId" in patch && patch.parentId === null) learnFromRootMove(traits, answer);
  return answer;
}

function learnFromRefusal(
  traits: TraitLearner,
  fault: Fault,
  pointer: "/path" | "/name",
  path: string,
  kind: NameKind,
): void {
  if (fault.kind !== "problem" || fault.code !== "invalid_request" || !fault.pointers.includes(pointer)) return;
  traits.learnFromRefusal(path, kind);
}

/** Learns whether the service accepts `parentId: null`. Some services refuse or ignore it. */
function learnFromRootMove(traits: TraitLearner, answer: Answer<{ readonly path: RemotePath }>): void {
  if (answer.ok) traits.learn({ moveToRoot: answer.value.path.includes("/") ? "no" : "yes" });
  else if (answer.fault.kind === "problem" && answer.fault.status === 400) traits.learn({ moveToRoot: "no" });
}
