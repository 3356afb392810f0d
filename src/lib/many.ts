import type { OpenedMirror } from "../mirror/folder/open-mirror.ts";
import { unwrap } from "./with-errors.ts";
import type { DoneMany, ManyChoice } from "./types.ts";

/** `resolve` for several documents. */

export async function resolveManyBy(
  { world, root }: OpenedMirror,
  { kind, force = false }: ManyChoice,
  paths: readonly string[] | null,
): Promise<DoneMany> {
  const { planResolve, resolveMany } = await import("../mirror/operations/manual/resolve-many.ts");
  const items = unwrap(planResolve(world, paths, kind, force), root);
  const { run, ends } = await resolveMany(world, items);
  return { run, items: ends };
}
