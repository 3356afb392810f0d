import type { DirId, DocId } from "../../../contract/ids.ts";
import type { LocalPath, RemotePath } from "../../../contract/path.ts";
import type { Outcome, OutcomeOf } from "../../model/action.ts";
import type { Fault, ParentRef, RemoteTraits } from "../../ports/remote.ts";
import { makeHold, outcomeOfFault, stale } from "./effect.ts";
import { whereItIs } from "./place.ts";
import { fromService, toService } from "../run/world.ts";
import type { PassContext } from "../run/pass-context.ts";

/** Knowledge about a path that the service called taken. */
type Taken =
  /** The next look shows what is there, so that the next plan can use it. */
  | { readonly kind: "stale"; readonly detail: string }
  /** No look will show it: the write is blocked, and not sent again. */
  | { readonly kind: "blocked"; readonly detail: string };

/**
 * Asks what is at a path that is taken by the service's answer (409 `path_already_exists`): whether
 * this key can see it, and under exactly this path. A service that takes several spellings for one
 * name shows an item under another spelling, which the next plan then knows. If the request fails,
 * the write is blocked, too: a 4xx is not sent again without a look (I08), and the next listing
 * shows what is there.
 * @param self what is being moved; null: it is new
 */
export async function judgeTaken(ctx: PassContext, path: RemotePath, self: DocId | DirId | null): Promise<Taken> {
  const items = await ctx.world.remote.itemsAt(toService(ctx.world, path));
  const places = items.map((item) => ({ id: item.id, path: fromService(ctx.world, item.path) }));
  if (places.some((place) => place.path === path && place.id !== self))
    return { kind: "stale", detail: "the path is in use on the service" };
  const [alike] = places;
  if (alike === undefined)
    return { kind: "blocked", detail: "the path is in use on the service, by a document that this key cannot read" };
  const names = `${JSON.stringify(path)} and ${JSON.stringify(alike.path ?? path)}`;
  if (alike.id === self)
    return { kind: "blocked", detail: `the service treats ${names} as the same name, and cannot change its spelling` };
  const detail = `the service treats ${names} as the same name, and already has the second`;
  return { kind: learnedNames(ctx) ? "stale" : "blocked", detail };
}

/** Returns whether a refusal says that something else has the path. */
export function saysTaken({ code }: { readonly code: string }): boolean {
  return code === "path_already_exists" || code === "type_mismatch";
}

/** A move of a document or a folder on the service. */
type RemoteMove = {
  readonly id: DocId | DirId;
  readonly to: RemotePath;
  /** Null: it stays in its folder. */
  readonly parent: ParentRef | null;
  /** Local path in the plan. */
  readonly stands: LocalPath;
};

/**
 * Returns what follows from a move that was certainly not done: another plan, or a blocked change.
 * @param toRoot the end if the service cannot move it to the root, or the detail of the blocked
 * change
 */
export async function endRefusedMove(
  ctx: PassContext,
  fault: Fault,
  { id, to, parent, stands }: RemoteMove,
  toRoot: string | OutcomeOf<"stale">,
): Promise<Outcome> {
  if (fault.kind !== "problem") return outcomeOfFault(fault);
  if (fault.pointers.includes("/name") && learnedNames(ctx)) return stale(MORE_REFUSED);
  const { status, code, requestId } = fault;
  const taken = code === "path_already_exists" ? await judgeTaken(ctx, to, id) : null;
  if (taken?.kind === "stale") return stale(taken.detail);
  const isRoot = parent?.kind === "root" && status === 400;
  if (isRoot && typeof toRoot !== "string") return toRoot;
  const refused = status === 403 ? "read-only" : "refused";
  const [reason, detail] =
    taken !== null
      ? (["occupied-unseen", taken.detail] as const)
      : isRoot && typeof toRoot === "string"
        ? (["no-move-to-root", toRoot] as const)
        : ([refused, fault.detail] as const);
  return outcomeOfFault(
    fault,
    makeHold(ctx, { key: id, path: whereItIs(ctx, stands), reason, code, detail, requestId }),
  );
}

export const MORE_REFUSED = "the service refuses a character in names that it was not known to refuse";

/** Returns whether this cycle has learned something about names since it was planned. */
export function learnedNames({ world, traitsAtStart: before }: PassContext): boolean {
  const now: RemoteTraits = world.remote.traits();
  return (
    now.refusedCharacters !== before.refusedCharacters ||
    now.foldsCase !== before.foldsCase ||
    now.foldsUnicode !== before.foldsUnicode
  );
}
