import type { DirId, DocId } from "../../contract/ids.ts";
import type { Fault, RemoteTraits } from "../../ports/remote.ts";
import type { RemotePath } from "../../model/path.ts";
import { ended, type Got, got, outcomeOfFault, stale } from "./effect.ts";
import { fromService, toService } from "../run/world.ts";
import type { PassContext } from "../run/pass-context.ts";

/** What came of a write that was told that its path is taken. */
type Taken =
  /** The next look shows it, and the next plan knows what to do. */
  | { readonly kind: "stale"; readonly detail: string }
  /** No later look will: the write is held, not sent again. */
  | { readonly kind: "held"; readonly detail: string };

/**
 * Asks what stands at a path that is said to be taken (409 `path_already_exists`): whether it shows
 * itself to this key, and under just this path. A service that takes several spellings for one name
 * shows what has another one; seen once, that is a trait which the next plan reckons with. Where
 * the question fails the write is held too: a 4xx is not sent again unread (I08), and what is there
 * after all shows in the next listing.
 * @param self what is being moved; null: it is new
 */
export async function judgeTaken(ctx: PassContext, path: RemotePath, self: DocId | DirId | null): Promise<Taken> {
  const items = await ctx.world.remote.itemsAt(toService(ctx.world, path));
  const places = items.map((item) => ({ id: item.id, path: fromService(ctx.world, item.path) }));
  if (places.some((place) => place.path === path && place.id !== self))
    return { kind: "stale", detail: "something is at that path on the service" };
  const [alike] = places;
  if (alike === undefined)
    return { kind: "held", detail: "the service says the path is taken, by something that this key cannot read" };
  const names = `${JSON.stringify(path)} and ${JSON.stringify(alike.path ?? path)}`;
  if (alike.id === self)
    return { kind: "held", detail: `the service takes ${names} for one, and does not change how it is spelled` };
  const detail = `the service takes ${names} for one name, and has the latter`;
  return { kind: learnedNames(ctx) ? "stale" : "held", detail };
}

/** What the service says of a path that something else has. */
export function saysTaken({ code }: { readonly code: string }): boolean {
  return code === "path_already_exists" || code === "type_mismatch";
}

type Problem = Extract<Fault, { kind: "problem" }>;

/**
 * A move that was not done, and for certain: it ends with what the next plan does otherwise, or
 * stays refused. `taken`: why its place cannot be had, where that is the reason.
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

/** Whether this pass has learned of names what its plan did not know. */
export function learnedNames({ world, traitsAtStart: before }: PassContext): boolean {
  const now: RemoteTraits = world.remote.traits();
  return (
    now.refusedCharacters !== before.refusedCharacters ||
    now.foldsCase !== before.foldsCase ||
    now.foldsUnicode !== before.foldsUnicode
  );
}
