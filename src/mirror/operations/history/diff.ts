/** Compares local content with the content on the service. Writes nothing (I23). */

import type { DocId } from "../../../contract/ids.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { Fault } from "../../ports/remote.ts";
import type { Trees } from "../../model/tree.ts";
import { toService, type World } from "../../engine/run/world.ts";
import { faultTrouble } from "../../folder/fault-trouble.ts";
import { findDocument, recordAt } from "./find-document.ts";
import { countLines } from "../../../markdown/merge/line-diff.ts";
import type { OpenedMirror } from "../../folder/open-mirror.ts";
import { planSync, USUAL_RUN } from "../../folder/run.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";
import { byPath } from "../../model/by-path.ts";
import { withLocal } from "../../folder/open-local.ts";
import { DIFF } from "../declared/history.ts";
import type { Answer } from "../define.ts";
import { onlineRead, type ReadOperation } from "../run-operation.ts";
import { type ConflictLines, readConflictLines } from "./conflict-lines.ts";
import { originSpans } from "./origins.ts";
import { inLocalForm } from "./as-on-disk.ts";
import { type ComparedEntry, pairsOf } from "./pairs.ts";
import { readText } from "./read-texts.ts";

type BothSides = { readonly live: string | null; readonly local: string | null };

/** Returns both contents of a document. A content is null if that side has none. */
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

/** Reads a document on the service by its current or earlier path; null if there is none. */
async function readLive(mirror: OpenedMirror, path: LocalPath): Promise<Result<string | null>> {
  const { world, url } = mirror;
  const base = world.state.load();
  const recordedId = recordAt(base, path)?.id;
  const found = recordedId === undefined ? await idAt(mirror, path) : ok(recordedId);
  if (found.kind === "trouble") return found;
  const id = found.value ?? findDocument(world.state, base, path)?.id ?? null;
  if (id === null) return ok(null);
  const answer = await world.remote.getFile(id);
  if (answer.ok) return ok(answer.value.content);
  if (answer.fault.kind === "problem" && answer.fault.code === "file_not_found") return ok(null);
  return { kind: "trouble", trouble: faultTrouble(answer.fault, url) };
}

/** Returns the id of the document that the service has at a path; null if it has none. */
async function idAt({ world, url }: OpenedMirror, path: LocalPath): Promise<Result<DocId | null>> {
  const whole = toService(world, path);
  if (!whole.endsWith(".md")) return ok(null);
  const { items, fault } = await world.remote.listFiles({ kind: "path", path: whole });
  if (fault !== null) return { kind: "trouble", trouble: faultTrouble(fault, url) };
  return ok(items.find((item) => item.path === whole)?.id ?? null);
}

type DiffRow = Answer<typeof DIFF>["documents"][number];

/** Lists the documents whose sides differ. Reads only those that seem to have changed. */
async function listDifferences(mirror: OpenedMirror): Promise<Result<readonly DiffRow[]>> {
  const { world, url } = mirror;
  const planned = await planSync(mirror, USUAL_RUN);
  if (planned.kind === "trouble") return planned;
  const { trees } = planned.value;
  const rows: DiffRow[] = [];
  for (const one of await Promise.all(pairsOf(trees).map((pair) => compare(world, trees, pair)))) {
    if (one !== null && "fault" in one) return { kind: "trouble", trouble: faultTrouble(one.fault, url) };
    if (one !== null) rows.push(one);
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
  const live = inLocalForm(world.disk, path, both.value.live);
  const local = inLocalForm(world.disk, path, both.value.local);
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
      const localText = readText(local, path, "here");
      return ok({
        documents: [
          rowOf(version.value.path, version.value.text, localText.kind === "ok" ? localText.value.text : null),
        ],
      });
    });
  },
};

/** Returns the result of a line merge for programs, without the content of the lines. */
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

/**
 * Returns how the two sides of a document differ; null if they are equal, or the document is not
 * synced. Returns the fault if the service does not answer.
 */
async function compare(
  world: World,
  { local }: Trees,
  { path, file, document, record }: ComparedEntry,
): Promise<DiffRow | { readonly fault: Fault } | null> {
  const row = (kind: DiffRow["kind"]): DiffRow => ({ path, kind, ...UNREAD });
  if (document === undefined) return file === undefined ? null : row("only-local");
  if (file === undefined) return local.ignores(path, "file") ? null : row("only-service");
  if (file.digest === record?.localDigest && document.changeId === record.changeId) return null;
  const answer = await world.remote.getFile(document.id);
  if (!answer.ok) return answer.fault.kind === "problem" ? row("only-local") : { fault: answer.fault };
  const read = world.disk.read(path);
  if (read.kind !== "done") return row("differs");
  if (read.value.text === answer.value.content) return null;
  return { ...row("differs"), lines: countLines(answer.value.content, read.value.text) };
}
