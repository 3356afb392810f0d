import type { DocId } from "../../../contract/ids.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { Fault } from "../../ports/remote.ts";
import type { BaseTree, Trees } from "../../model/tree.ts";
import type { World } from "../../engine/run/world.ts";
import { faultTrouble } from "../../folder/fault-trouble.ts";
import { findDocument, linkAt } from "./find-document.ts";
import { countLines } from "../../../markdown/merge/line-diff.ts";
import type { OpenedMirror } from "../../folder/open-mirror.ts";
import { USUAL_RUN, previewSync } from "../../folder/run.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";
import { byPath } from "../../model/by-path.ts";

/** Compares local content with the published one. Nothing is written (I23). */

export type TwoTexts = { readonly path: LocalPath; readonly live: string | null; readonly local: string | null };

/** Returns both contents of a document; null for a side without content. */
export async function readBothSides(mirror: OpenedMirror, path: LocalPath): Promise<Result<TwoTexts>> {
  const { world, url } = mirror;
  const base = world.state.load();
  const id = await idOf(world, base, path);
  const read = world.disk.read(path);
  if (read.kind === "fault")
    return trouble("fault", `${path} cannot be read: ${read.detail}`, "solve the named problem");
  const local = read.kind === "done" ? read.value.text : null;
  if (id === null) {
    if (local !== null) return ok({ path, live: null, local });
    return trouble(
      "usage",
      `${path} is on neither side`,
      "mdmirror diff without a path lists the documents that differ",
    );
  }
  const answer = await world.remote.getFile(id);
  if (answer.ok) return ok({ path, live: answer.value.content, local });
  if (answer.fault.kind === "problem" && answer.fault.code === "file_not_found") return ok({ path, live: null, local });
  return { kind: "trouble", trouble: faultTrouble(answer.fault, url) };
}

async function idOf(world: World, base: BaseTree, path: LocalPath): Promise<DocId | null> {
  return linkAt(base, path)?.id ?? (await idAt(world, path)) ?? findDocument(world.state, base, path)?.id ?? null;
}

/** Returns the id of the document at this path on the service that is not linked yet. */
async function idAt(world: World, path: LocalPath): Promise<DocId | null> {
  const whole = world.prefix === "" ? path : `${world.prefix}/${path}`;
  if (!whole.endsWith(".md")) return null;
  const listed = await world.remote.listFiles({ kind: "path", path: whole });
  return listed.items.find((item) => item.path === whole)?.id ?? null;
}

export type DiffRow = {
  readonly path: LocalPath;
  readonly kind: "differs" | "only-local" | "only-service";
  /** Number of lines on one side only; null if the content was not read. */
  readonly lines: { readonly added: number; readonly removed: number } | null;
};

type DiffList =
  | { readonly kind: "offline"; readonly fault: Fault }
  | { readonly kind: "listed"; readonly rows: readonly DiffRow[] };

/**
 * Lists documents whose sides differ. Reads only documents that the listing and the stamps show as
 * changed.
 */
export async function listDifferences(mirror: OpenedMirror): Promise<DiffList> {
  const { world } = mirror;
  const preview = await previewSync(mirror, USUAL_RUN);
  if (preview.kind === "offline") return preview;
  const { rows, suspects } = listByStamps(preview.trees);
  const read = await Promise.all(suspects.map((suspect) => compare(world, suspect)));
  for (const one of read) {
    if ("fault" in one) return { kind: "offline", fault: one.fault };
    if (one.row !== null) rows.push(one.row);
  }
  return { kind: "listed", rows: rows.toSorted(byPath) };
}

/** A document whose contents have to be read and compared. */
type Suspect = { readonly kind: "suspect"; readonly id: DocId; readonly path: LocalPath };

/**
 * Returns documents that are on one side only, and documents whose contents have to be compared.
 * Those have changed on a side, or are new on both sides.
 */
function listByStamps(trees: Trees): { readonly rows: DiffRow[]; readonly suspects: readonly Suspect[] } {
  const found = [...differencesOfLinks(trees), ...unlinkedThere(trees)];
  const suspects = found.filter((one) => one.kind === "suspect");
  const rows = found.filter((one) => one.kind !== "suspect");
  const known = new Set([...linkedPaths(trees), ...suspects.map(({ path }) => path)]);
  for (const path of trees.local.files.keys()) if (!known.has(path)) rows.push(onOneSide("only-local", path));
  return { rows, suspects };
}

function differencesOfLinks({ base, local, remote }: Trees): (DiffRow | Suspect)[] {
  return [...base.links.values()].flatMap((link): (DiffRow | Suspect)[] => {
    const { id, localPath: path } = link;
    const here = local.files.get(path);
    const there = remote.files.get(id);
    if (here !== undefined && there !== undefined) {
      const isAsLinked = here.digest === link.localDigest && there.changeId === link.changeId;
      return isAsLinked ? [] : [{ kind: "suspect", id, path }];
    }
    if (here !== undefined) return [onOneSide("only-local", path)];
    return there !== undefined && !local.ignores(path, "file") ? [onOneSide("only-service", path)] : [];
  });
}

function unlinkedThere(trees: Trees): (DiffRow | Suspect)[] {
  const { base, local, remote } = trees;
  const linked = linkedPaths(trees);
  return [...remote.files.values()]
    .filter(({ id, path }) => !base.links.has(id) && !local.ignores(path, "file"))
    .map(({ id, path }): DiffRow | Suspect => {
      const isTwin = local.files.has(path) && !linked.has(path);
      return isTwin ? { kind: "suspect", id, path } : onOneSide("only-service", path);
    });
}

function linkedPaths({ base }: Trees): ReadonlySet<LocalPath> {
  return new Set([...base.links.values()].map(({ localPath }) => localPath));
}

function onOneSide(kind: "only-local" | "only-service", path: LocalPath): DiffRow {
  return { path, kind, lines: null };
}

async function compare(
  world: World,
  { id, path }: Suspect,
): Promise<{ readonly row: DiffRow | null } | { readonly fault: Fault }> {
  const answer = await world.remote.getFile(id);
  const read = world.disk.read(path);
  if (!answer.ok) {
    if (answer.fault.kind !== "problem") return { fault: answer.fault };
    return { row: { path, kind: "only-local", lines: null } };
  }
  if (read.kind !== "done") return { row: { path, kind: "differs", lines: null } };
  if (read.value.text === answer.value.content) return { row: null };
  return { row: { path, kind: "differs", lines: countLines(answer.value.content, read.value.text) } };
}
