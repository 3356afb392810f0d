import type { LocalPath } from "../../../contract/path.ts";
import type { Arriving } from "../../ports/state.ts";
import type { LocalFile, LocalTree } from "../../model/tree.ts";
import { hasRestarted, isTorn, isZeroed, mayBeCutOff } from "../apply/cut-off.ts";
import { fetchText, outcomeOfDisk } from "../apply/effect.ts";
import { whyOpen } from "../apply/unsettled.ts";
import type { PassContext } from "../run/pass-context.ts";
import { recordEvent, trashPlace } from "../run/world.ts";

/** Recovers files that were being created when the process or the machine stopped. */

/** `open`: the file could not be compared, so its row stays. */
type Judged = "whole" | "put-away" | { readonly kind: "open"; readonly path: LocalPath; readonly why: string };

/**
 * Moves damaged new files to the trash, so that the next plan creates them again. A file gets its
 * name once it is whole, so only a restart of the machine leaves a damaged one. The planner pairs
 * the others with their documents.
 * @returns whether files went to the trash, so that the folder must be scanned again; and the paths
 * that could not be compared, with the reason
 */
export async function recoverArriving(
  ctx: PassContext,
  local: LocalTree,
): Promise<{ readonly changed: boolean; readonly open: ReadonlyMap<LocalPath, string> }> {
  const { state } = ctx.world;
  const isDoubtful = hasRestarted(ctx.world);
  const all: Judged[] = [];
  for (const { intentId, intent } of state.intents()) {
    if (intent.kind !== "create") continue;
    const judged: Judged[] = [];
    for (const file of isDoubtful ? intent.files : []) judged.push(await putAwayTorn(ctx, file, local));
    if (judged.every((end) => typeof end === "string")) state.closeIntent(intentId);
    all.push(...judged);
  }
  const open = all.flatMap((end) => (typeof end === "string" ? [] : [[end.path, end.why] as const]));
  return { changed: all.includes("put-away"), open: new Map(open) };
}

async function putAwayTorn(ctx: PassContext, { id, path }: Arriving, local: LocalTree): Promise<Judged> {
  const file = local.files.get(path);
  if (file === undefined || !mayBeCutOff(file)) return "whole";
  if (file.empty) return putAway(ctx, id, file);
  const fetched = await fetchText(ctx, id, path);
  if (fetched.kind === "end") {
    const why = whyOpen(fetched.outcome);
    return why === null ? "whole" : { kind: "open", path, why };
  }
  const isDamaged = hasZeros(ctx, path) || isTorn(ctx.world, file, fetched.value.text);
  return isDamaged ? putAway(ctx, id, file) : "whole";
}

function hasZeros({ world: { disk } }: PassContext, path: LocalPath): boolean {
  const read = disk.read(path);
  return read.kind === "done" && isZeroed(read.value.text);
}

function putAway(ctx: PassContext, id: Arriving["id"], { path, digest }: LocalFile): Judged {
  const end = ctx.world.disk.trash(path, digest, trashPlace(ctx.world, path));
  if (end.kind !== "done") return { kind: "open", path, why: whyOpen(outcomeOfDisk(end)) ?? end.detail };
  const detail = "damaged by a power loss; moved to the trash, because its document is downloaded again";
  recordEvent(ctx.world, ctx.run, { kind: "recover", side: "local", id, path, detail });
  return "put-away";
}
