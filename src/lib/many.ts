import type { OpenedMirror } from "../mirror/folder/open-mirror.ts";
import { unwrap } from "./with-errors.ts";
import type { DoneMany, ManyChoice } from "./types.ts";

/** `resolve` and `restore` for several documents. */

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

export async function restoreManyTo(
  { world, root }: OpenedMirror,
  paths: readonly string[],
  asOf: Date | null,
): Promise<DoneMany> {
  const { planRestore, restoreMany } = await import("../mirror/operations/history/restore-many.ts");
  const planned = unwrap(planRestore(world, paths, asOf === null ? null : asOf.getTime()), root);
  const left = planned.flatMap((item) => (item.kind === "left" ? [{ ...item, end: "left", notes: [] } as const] : []));
  const { run, ends } = await restoreMany(world, planned);
  const tried = ends.map(({ item: { path }, done, note }) => {
    return { path, end: done ? ("done" as const) : ("failed" as const), why: note, notes: [] };
  });
  return { run, items: [...tried, ...left.map(({ path, end, why, notes }) => ({ path, end, why, notes }))] };
}
