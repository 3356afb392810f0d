import type { JsonObject } from "../contract/json.ts";
import type { NameKind } from "../contract/names.ts";
import type { Answer, Fault } from "../ports/remote.ts";
import type { RemotePath } from "../model/path.ts";
import { faultOf } from "./fault.ts";
import type { Call, Reply } from "./reply.ts";
import type { CallContext } from "./reads.ts";
import type { TraitBook } from "./traits.ts";

/** What answers to writes teach about the deployment. */

/**
 * POST by path. The service's spelling of paths is unknown until it has shown one; while it is (an
 * empty workspace), a refused path is sent once more in the other spelling, without or with a
 * leading slash: another request, not the same one again.
 */
export async function createAtPath(
  context: CallContext,
  route: string,
  path: RemotePath,
  kind: NameKind,
  rest: JsonObject,
): Promise<{ readonly call: Call; readonly reply: Reply }> {
  const { caller, traits } = context;
  const callWith = (spelled: string): Call => {
    return { method: "POST", path: route, body: { path: spelled, ...rest }, accept: [200, 201], size: "item" };
  };
  let call = callWith(traits.spell(path));
  let reply = await caller.call(call);
  if (isRefusalAt(reply, "/path") && !traits.slashIsKnown()) {
    const other = traits.current().leadingSlash ? path : `/${path}`;
    call = callWith(other);
    reply = await caller.call(call);
    if (reply.kind === "success") traits.sawPath(other);
  }
  if (reply.kind !== "success") learnRefusal(traits, faultOf(call, reply), "/path", path, kind);
  return { call, reply };
}

function isRefusalAt(reply: Reply, pointer: string): boolean {
  return reply.kind === "problem" && reply.code === "invalid_request" && reply.pointers.includes(pointer);
}

/**
 * A name that our rules judge legal was refused as such: its doubtful characters are the likely
 * cause.
 */
export function learnRefusal(
  traits: TraitBook,
  fault: Fault,
  pointer: "/path" | "/name",
  path: string,
  kind: NameKind,
): void {
  if (fault.kind !== "problem" || fault.code !== "invalid_request" || !fault.pointers.includes(pointer)) return;
  traits.sawRefusal(path, kind);
}

/**
 * `parentId: null` is the root; a deployment may refuse it, or take it for no member at all.
 */
export function learnRootMove(traits: TraitBook, answer: Answer<{ readonly path: RemotePath }>): void {
  if (answer.ok) traits.learnMoveToRoot(!answer.value.path.includes("/"));
  else if (answer.fault.kind === "problem" && answer.fault.status === 400) traits.learnMoveToRoot(false);
}
