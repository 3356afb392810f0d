import type { DocId } from "../../../contract/ids.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { outcomeOfFault } from "../apply/effect.ts";
import { storeReadBack } from "../apply/read-back.ts";
import { commit } from "../apply/commit.ts";
import type { PassContext } from "../run/pass-context.ts";
import { type ManualEnd, notDone } from "./run-manually.ts";

type Wish = { readonly id: DocId; readonly path: LocalPath; readonly value: boolean };

/**
 * Sets or clears a document's review protection on the service. The link learns it from the next
 * listing, like a change by another user.
 */
export async function protect(ctx: PassContext, { id, path, value }: Wish, detail: string): Promise<ManualEnd> {
  const answer = await ctx.world.remote.setProtected(id, value);
  if (!answer.ok) return notDone(outcomeOfFault(answer.fault));
  storeReadBack(ctx, answer.value, path);
  const kind = value ? "protect" : "unprotect";
  return { outcome: commit(ctx, { event: { kind, side: "remote", id, path, detail } }), notes: [] };
}
