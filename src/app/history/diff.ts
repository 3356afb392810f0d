import type { DocId } from "../../contract/ids.ts";
import type { LocalPath } from "../../model/path.ts";
import type { Fault } from "../../ports/remote.ts";
import type { World } from "../../engine/run/world.ts";
import { faultTrouble } from "../mirror/fault-trouble.ts";
import { findDocument, linkAt } from "./find-document.ts";
import { countLines } from "./line-diff.ts";
import type { OpenedMirror } from "../mirror/open-mirror.ts";
import { USUAL_RUN, previewSync } from "../mirror/run.ts";
import { ok, type Result, trouble } from "../mirror/trouble.ts";

/** Local against live. Nothing is written (I23). */

export type TwoTexts = { readonly path: LocalPath; readonly live: string | null; readonly local: string | null };

/** @returns the two texts; null where a side has none */
export async function readBothSides(mirror: OpenedMirror, path: LocalPath): Promise<Result<TwoTexts>> {
  const { world, url } = mirror;
  const base = world.state.load();
  const link = linkAt(base, path);
  const id = link?.id ?? (await idAt(world, path)) ?? findDocument(world.state, base, path)?.id ?? null;
  const read = world.disk.read(path);
  if (read.kind === "fault") return trouble("fault", `${path} cannot be read: ${read.detail}`, "mend what it names");
  const local = read.kind === "done" ? read.value.text : null;
  if (id === null) {
    if (local !== null) return ok({ path, live: null, local });
    return trouble("usage", `${path} is on neither side`, "mdmirror diff, without a path, lists what differs");
  }
  const answer = await world.remote.getFile(id);
  if (answer.ok) return ok({ path, live: answer.value.content, local });
  if (answer.fault.kind === "problem" && answer.fault.code === "file_not_found") return ok({ path, live: null, local });
  return { kind: "trouble", trouble: faultTrouble(answer.fault, url) };
}

/** What is at this very path on the service and not linked yet. */
async function idAt(world: World, path: LocalPath): Promise<DocId | null> {
  const whole = world.prefix === "" ? path : `${world.prefix}/${path}`;
  if (!whole.endsWith(".md")) return null;
  const listed = await world.remote.listFiles({ kind: "path", path: whole });
  return listed.items.find((item) => item.path === whole)?.id ?? null;
}

export type DiffRow = {
  readonly path: LocalPath;
  readonly kind: "differs" | "only-here" | "only-there";
  /** Lines that are only here, and only there. null: not read. */
  readonly lines: { readonly added: number; readonly removed: number } | null;
};

export type DiffList =
  | { readonly kind: "offline"; readonly fault: Fault }
  | { readonly kind: "listed"; readonly rows: readonly DiffRow[] };

/**
 * Every document that the two sides do not hold alike: those that the listing and the stamps show
 * are read, the others are not.
 */
export async function listDifferences(mirror: OpenedMirror): Promise<DiffList> {
  const { world } = mirror;
  const preview = await previewSync(mirror, USUAL_RUN);
  if (preview.kind === "offline") return preview;
  const { base, local, remote } = preview.trees;
  const rows: DiffRow[] = [];
  const linked = new Set<LocalPath>();
  const suspects: { readonly id: DocId; readonly path: LocalPath }[] = [];
  for (const link of base.links.values()) {
    const here = local.files.get(link.localPath);
    const there = remote.files.get(link.id);
    linked.add(link.localPath);
    if (here !== undefined && there !== undefined) {
      if (here.digest !== link.localDigest || there.changeId !== link.changeId)
        suspects.push({ id: link.id, path: link.localPath });
    } else if (here !== undefined) rows.push({ path: link.localPath, kind: "only-here", lines: null });
    else if (there !== undefined && !local.ignores(link.localPath, "file"))
      rows.push({ path: link.localPath, kind: "only-there", lines: null });
  }
  for (const file of remote.files.values()) {
    if (base.links.has(file.id) || local.ignores(file.path, "file")) continue;
    if (local.files.has(file.path) && !linked.has(file.path)) suspects.push({ id: file.id, path: file.path });
    else rows.push({ path: file.path, kind: "only-there", lines: null });
  }
  const suspected = new Set(suspects.map(({ path }) => path));
  for (const path of local.files.keys())
    if (!linked.has(path) && !suspected.has(path)) rows.push({ path, kind: "only-here", lines: null });
  const read = await Promise.all(suspects.map((suspect) => compare(world, suspect)));
  for (const one of read) {
    if ("fault" in one) return { kind: "offline", fault: one.fault };
    if (one.row !== null) rows.push(one.row);
  }
  return { kind: "listed", rows: rows.toSorted((a, b) => (a.path < b.path ? -1 : 1)) };
}

async function compare(
  world: World,
  { id, path }: { readonly id: DocId; readonly path: LocalPath },
): Promise<{ readonly row: DiffRow | null } | { readonly fault: Fault }> {
  const answer = await world.remote.getFile(id);
  const read = world.disk.read(path);
  if (!answer.ok) {
    if (answer.fault.kind !== "problem") return { fault: answer.fault };
    return { row: { path, kind: "only-here", lines: null } };
  }
  if (read.kind !== "done") return { row: { path, kind: "differs", lines: null } };
  if (read.value.text === answer.value.content) return { row: null };
  return { row: { path, kind: "differs", lines: countLines(answer.value.content, read.value.text) } };
}
