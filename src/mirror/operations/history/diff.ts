import type { DocId } from "../../../contract/ids.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { Fault } from "../../ports/remote.ts";
import type { Trees } from "../../model/tree.ts";
import { toService, type World } from "../../engine/run/world.ts";
import { faultTrouble } from "../../folder/fault-trouble.ts";
import { findDocument, linkAt } from "./find-document.ts";
import { countLines } from "../../../markdown/merge/line-diff.ts";
import type { OpenedMirror } from "../../folder/open-mirror.ts";
import { USUAL_RUN, previewSync } from "../../folder/run.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";
import { byPath } from "../../model/by-path.ts";
import { withLocal } from "../../folder/open-local.ts";
import { DIFF } from "../declared/history.ts";
import type { Answer } from "../define.ts";
import { onlineRead, type ReadOperation } from "../run-read.ts";
import { type ConflictLines, readConflictLines } from "./conflict-lines.ts";
import { originSpans } from "./origins.ts";
import { readText } from "./read-texts.ts";

/** Compares local content with the published one. Nothing is written (I23). */

type BothSides = { readonly live: string | null; readonly local: string | null };

/** Returns both contents of a document; null for a side without content. */
async function readBothSides(mirror: OpenedMirror, path: LocalPath): Promise<Result<BothSides>> {
  const { world } = mirror;
  const read = world.disk.read(path);
  if (read.kind === "fault")
    return trouble("fault", `${path} cannot be read: ${read.detail}`, "solve the named problem");
  const local = read.kind === "done" ? read.value.text : null;
  const live = await readLive(mirror, path);
  if (live.kind === "trouble") return live;
  if (live.value !== null || local !== null) return ok({ live: live.value, local });
  return trouble("usage", `${path} is on neither side`, "mdmirror diff without a path lists the documents that differ");
}

/** Returns the published content of the document that has or had a path; null if there is none. */
async function readLive(mirror: OpenedMirror, path: LocalPath): Promise<Result<string | null>> {
  const { world, url } = mirror;
  const base = world.state.load();
  const linked = linkAt(base, path)?.id;
  const found = linked === undefined ? await idAt(mirror, path) : ok(linked);
  if (found.kind === "trouble") return found;
  const id = found.value ?? findDocument(world.state, base, path)?.id ?? null;
  if (id === null) return ok(null);
  const answer = await world.remote.getFile(id);
  if (answer.ok) return ok(answer.value.content);
  if (answer.fault.kind === "problem" && answer.fault.code === "file_not_found") return ok(null);
  return { kind: "trouble", trouble: faultTrouble(answer.fault, url) };
}

/** Returns the id of the document at this path on the service that is not linked yet. */
async function idAt({ world, url }: OpenedMirror, path: LocalPath): Promise<Result<DocId | null>> {
  const whole = toService(world, path);
  if (!whole.endsWith(".md")) return ok(null);
  const { items, fault } = await world.remote.listFiles({ kind: "path", path: whole });
  if (fault !== null) return { kind: "trouble", trouble: faultTrouble(fault, url) };
  return ok(items.find((item) => item.path === whole)?.id ?? null);
}

type DiffRow = Answer<typeof DIFF>["documents"][number];

/**
 * Lists documents whose sides differ. Reads only documents that the listing and the stamps show as
 * changed.
 */
async function listDifferences(mirror: OpenedMirror): Promise<Result<readonly DiffRow[]>> {
  const { world, url } = mirror;
  const preview = await previewSync(mirror, USUAL_RUN);
  if (preview.kind === "offline") return { kind: "trouble", trouble: faultTrouble(preview.fault, url) };
  const { rows, suspects } = listByStamps(preview.trees);
  const read = await Promise.all(suspects.map((suspect) => compare(world, suspect)));
  for (const one of read) {
    if ("fault" in one) return { kind: "trouble", trouble: faultTrouble(one.fault, url) };
    if (one.row !== null) rows.push(one.row);
  }
  return ok(rows.toSorted(byPath));
}

const withService = onlineRead(DIFF, async (mirror, { path }) => {
  if (path === undefined) {
    const listed = await listDifferences(mirror);
    return listed.kind === "trouble" ? listed : ok({ documents: listed.value });
  }
  const both = await readBothSides(mirror, path);
  if (both.kind === "trouble") return both;
  const { world } = mirror;
  const shown = (text: string | null) => (text === null ? null : (world.disk.shown?.(path, text) ?? text));
  const [live, local] = [shown(both.value.live), shown(both.value.local)];
  const row = rowOf(path, live, local);
  const conflict = readConflictLines(world, path, { live, local });
  if (conflict === null) return ok({ documents: [row] });
  return ok({ documents: [{ ...row, base: conflict.base, conflict: summaryOf(conflict.lines) }] });
});

export const diff: ReadOperation<typeof DIFF> = {
  declared: DIFF,
  read(root, { path, n }, options) {
    if (n === undefined) return withService.read(root, { path }, options);
    if (path === undefined) return trouble("usage", "a numbered version is of one document", "give a path");
    return withLocal(root, options, (local) => {
      const version = readText(local, path, n);
      if (version.kind === "trouble") return version;
      const now = readText(local, path, "here");
      return ok({
        documents: [rowOf(version.value.path, version.value.text, now.kind === "ok" ? now.value.text : null)],
      });
    });
  },
};

/** Returns the lines of a conflict without their content. */
function summaryOf(lines: ConflictLines): DiffRow["conflict"] {
  if (lines.kind !== "parts") return lines;
  return { kind: lines.kind, conflicts: lines.conflicts, origins: originSpans(lines.rows) };
}

const UNREAD = { lines: null, before: null, after: null, base: null, conflict: null } as const;

function rowOf(path: string, before: string | null, after: string | null): DiffRow {
  const lines = countLines(before ?? "", after ?? "");
  const kind = before === null ? "only-local" : after === null ? "only-service" : before === after ? "same" : "differs";
  return { path, kind, lines, before, after, base: null, conflict: null };
}

/** A document whose contents have to be read and compared. */
type Suspect = { readonly kind: "suspect"; readonly id: DocId; readonly path: LocalPath };

/**
 * Returns documents that are on one side only, and documents whose contents have to be compared.
 * Those have changed on a side, or are new on both sides.
 */
function listByStamps(trees: Trees): { readonly rows: DiffRow[]; readonly suspects: readonly Suspect[] } {
  const found = [...differencesOfLinks(trees), ...unlinkedOnService(trees)];
  const suspects = found.filter((one) => one.kind === "suspect");
  const rows = found.filter((one) => one.kind !== "suspect");
  const known = new Set([...linkedPaths(trees), ...suspects.map(({ path }) => path)]);
  for (const path of trees.local.files.keys()) if (!known.has(path)) rows.push(onOneSide("only-local", path));
  return { rows, suspects };
}

function differencesOfLinks({ base, local, remote }: Trees): (DiffRow | Suspect)[] {
  return [...base.links.values()].flatMap((link): (DiffRow | Suspect)[] => {
    const { id, localPath: path } = link;
    const file = local.files.get(path);
    const document = remote.files.get(id);
    if (file !== undefined && document !== undefined) {
      const isAsLinked = file.digest === link.localDigest && document.changeId === link.changeId;
      return isAsLinked ? [] : [{ kind: "suspect", id, path }];
    }
    if (file !== undefined) return [onOneSide("only-local", path)];
    return document !== undefined && !local.ignores(path, "file") ? [onOneSide("only-service", path)] : [];
  });
}

function unlinkedOnService(trees: Trees): (DiffRow | Suspect)[] {
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
  return { path, kind, ...UNREAD };
}

async function compare(
  world: World,
  { id, path }: Suspect,
): Promise<{ readonly row: DiffRow | null } | { readonly fault: Fault }> {
  const answer = await world.remote.getFile(id);
  const read = world.disk.read(path);
  if (!answer.ok) {
    if (answer.fault.kind !== "problem") return { fault: answer.fault };
    return { row: onOneSide("only-local", path) };
  }
  const row = { path, kind: "differs", ...UNREAD } as const;
  if (read.kind !== "done") return { row };
  if (read.value.text === answer.value.content) return { row: null };
  return { row: { ...row, lines: countLines(answer.value.content, read.value.text) } };
}
