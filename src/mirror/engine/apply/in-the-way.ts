import type { DirId, DocId } from "../../../contract/ids.ts";
import type { Fault, RemoteTraits } from "../../ports/remote.ts";
import type { RemotePath } from "../../../contract/path.ts";
import { ended, type Got, got, outcomeOfFault, stale } from "./effect.ts";
import { fromService, toService } from "../run/world.ts";
import type { PassContext } from "../run/pass-context.ts";

/** What is known about a path that a write was told is taken. */
type Taken =
  /** The next look shows what is there, so the next plan can act on it. */
  | { readonly kind: "stale"; readonly detail: string }
  /** No look will show it: the write is held, and not sent again. */
  | { readonly kind: "blocked"; readonly detail: string };

/**
 * Asks what is at a path that is said to be taken (409 `path_already_exists`): whether this key can
 * see it, and under just this path. A service that takes several spellings for one name shows an
 * item under another spelling, which is learned for the next plan. If the request fails, the write
 * is held too: a 4xx is not sent again without a look (I08), and the next listing shows what is
 * there.
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
  const detail = `the service treats ${names} as the same name, and has the latter`;
  return { kind: learnedNames(ctx) ? "stale" : "blocked", detail };
}

/** Whether a refusal says that something else has the path. */
export function saysTaken({ code }: { readonly code: string }): boolean {
  return code === "path_already_exists" || code === "type_mismatch";
}

type Problem = Extract<Fault, { kind: "problem" }>;

/**
 * The outcome of a move that certainly was not done: what the next plan makes of it, or a refusal.
 * `taken`: what was found about its path, where that is the reason.
 */
export async function judgeRefusedMove(
  ctx: PassContext,
  fault: Fault,
  to: RemotePath,
  self: DocId | DirId,
): Promise<Got<{ readonly problem: Problem; readonly taken: Taken | null }>> {
  if (fault.kind !== "problem") return ended(outcomeOfFault(fault));
  if (fault.pointers.includes("/name") && learnedNames(ctx)) return ended(stale(MORE_REFUSED));
  const taken = fault.code === "path_already_exists" ? await judgeTaken(ctx, to, self) : null;
  return taken?.kind === "stale" ? ended(stale(taken.detail)) : got({ problem: fault, taken });
}

export const MORE_REFUSED = "the service refuses more characters in names than was known";

/** Whether this pass has learned something about names since it was planned. */
export function learnedNames({ world, traitsAtStart: before }: PassContext): boolean {
  const now: RemoteTraits = world.remote.traits();
  return (
    now.refusedCharacters !== before.refusedCharacters ||
    now.foldsCase !== before.foldsCase ||
    now.foldsUnicode !== before.foldsUnicode
  );
}
