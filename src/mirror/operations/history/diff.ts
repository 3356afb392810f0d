/** Compares local content with the content on the service. Writes nothing (I23). */
import { type ConflictReason, mergeText } from "../../../markdown/merge/merge.ts";
import { type LineBlock, mergeLines } from "../../../markdown/merge/lines.ts";
import { createReading } from "../../../markdown/merge/reading.ts";
import { findOrigins, type LineOrigin } from "../../../markdown/merge/origin.ts";
import { splitLines } from "../../../markdown/merge/split.ts";
import { toService, type World } from "../../engine/run/world.ts";
import type { ThreeVersions } from "../../../markdown/merge/marked.ts";
import { findDocument, findRecordAt, makeLocalLookup, type StateAndDisk, toLocalForm } from "./lookup.ts";
import { listOriginSpans, type MergeRow } from "./origins.ts";
import type { DocId } from "../../../contract/ids.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { Fault } from "../../ports/remote.ts";
import type { Trees } from "../../model/tree.ts";
import { makeFaultTrouble } from "../../folder/trouble.ts";
import { countLines } from "../../../markdown/merge/line-diff.ts";
import type { OpenedMirror } from "../../folder/open-mirror.ts";
import { planSync, USUAL_RUN } from "../../folder/run.ts";
import { ok, refusal, type Result, trouble } from "../../../common/trouble.ts";
import { compareByPath } from "../../model/by-path.ts";
import { withLocal } from "../../folder/open-local.ts";
import { DIFF } from "../declared/reads.ts";
import type { Answer } from "../define.ts";
import { defineOnlineRead, type ReadOperation } from "../run-operation.ts";
import { type ComparedEntry, pairDocuments } from "./pairs.ts";
import { readText } from "./history.ts";

/**
 * Result of comparing the two edits of a conflict.
 * - `merges`: the edits now merge without a conflict
 * - `no-base`: the version with which both edits began is no longer stored
 * - `whole`: each line merges, but mdmirror refused the merged content
 * - `parts`: some lines conflict
 */
type ConflictLines =
  | { readonly kind: "merges" }
  | { readonly kind: "no-base" }
  | { readonly kind: "whole"; readonly reason: ConflictReason }
  | { readonly kind: "parts"; readonly conflicts: number; readonly rows: readonly MergeRow[] };

type ConflictBlock = Extract<LineBlock, { kind: "conflict" }>;

type BothContents = { readonly live: string | null; readonly local: string | null };

/**
 * Compares the two edits of a conflict. Returns null if the document is not in conflict, or if a
 * side has no content.
 */
function readConflictLines(
  { state, disk }: StateAndDisk,
  path: string,
  { live, local }: BothContents,
): { readonly base: string | null; readonly lines: ConflictLines } | null {
  const record = findRecordAt(state.load(), path);
  const conflict = record === null ? null : state.conflict(record.id);
  if (conflict === null || live === null || local === null) return null;
  const base = conflict.baseDigest === null ? "" : makeLocalLookup({ state, disk }, path).text(conflict.baseDigest);
  if (base === null) return { base, lines: { kind: "no-base" } };
  return { base, lines: compareEdits({ base, mine: local, theirs: live }) };
}

export function compareEdits({ base, mine, theirs }: ThreeVersions): ConflictLines {
  const mergeResult = mergeText(base, mine, theirs);
  if (mergeResult.kind === "clean") return { kind: "merges" };
  const blocks = mergeLines(base, mine, theirs, createReading());
  if (blocks === undefined || blocks.every(({ kind }) => kind === "settled"))
    return { kind: "whole", reason: mergeResult.reason };
  // In this merged content, lines of base replace the conflicting lines, so that all other lines
  // can be compared.
  const conflictsByLine = new Map<number, ConflictBlock>();
  const lines: string[] = [];
  for (const block of blocks) {
    if (block.kind === "conflict") conflictsByLine.set(lines.length, block);
    lines.push(...(block.kind === "settled" ? splitLines(block.text) : block.base));
  }
  const rows = insertConflicts(findOrigins(base, mine, theirs, lines.join("")), conflictsByLine);
  return { kind: "parts", conflicts: conflictsByLine.size, rows };
}

/** @param places conflicts, by the index (from 0) of the line at which each conflict begins */
function insertConflicts(rows: readonly LineOrigin[], places: ReadonlyMap<number, ConflictBlock>): MergeRow[] {
  const shownRows: MergeRow[] = [];
  let [line, standIns] = [0, 0];
  for (const row of rows) {
    if (row.kind === "removed") {
      shownRows.push(row);
      continue;
    }
    const block = places.get(line);
    shownRows.push(...listConflictRows(block));
    standIns += block?.base.length ?? 0;
    if (standIns > 0) standIns--;
    else shownRows.push(row);
    line++;
  }
  shownRows.push(...listConflictRows(places.get(line)));
  return shownRows;
}

function listConflictRows(block: ConflictBlock | undefined): MergeRow[] {
  if (block === undefined) return [];
  const { base, local: mine, remote: theirs } = block;
  return Object.entries({ base, mine, theirs }).flatMap(([of, lines]) =>
    lines.map((line) => ({ kind: "conflict" as const, of: of as "base" | "mine" | "theirs", line })),
  );
}

async function readBothSides(mirror: OpenedMirror, path: LocalPath): Promise<Result<BothContents>> {
  const { world } = mirror;
  const readResult = world.disk.read(path);
  if (readResult.kind === "fault")
    return trouble("fault", `${path} cannot be read: ${readResult.detail}`, "solve the named problem");
  const localText = readResult.kind === "done" ? readResult.value.text : null;
  const liveText = await readLive(mirror, path);
  if (liveText.kind === "trouble") return liveText;
  if (liveText.value !== null || localText !== null) return ok({ live: liveText.value, local: localText });
  return refusal(`${path} is on neither side`, "mdmirror diff without a path lists the documents that differ");
}

/** Reads the service's content by a document's current or earlier path; null without content. */
async function readLive(mirror: OpenedMirror, path: LocalPath): Promise<Result<string | null>> {
  const { world, url } = mirror;
  const base = world.state.load();
  const recordedId = findRecordAt(base, path)?.id;
  const foundId = recordedId === undefined ? await findIdAt(mirror, path) : ok(recordedId);
  if (foundId.kind === "trouble") return foundId;
  const id = foundId.value ?? findDocument(world.state, base, path)?.id ?? null;
  if (id === null) return ok(null);
  const fileAnswer = await world.remote.getFile(id);
  if (fileAnswer.ok) return ok(fileAnswer.value.content);
  if (fileAnswer.fault.kind === "problem" && fileAnswer.fault.code === "file_not_found") return ok(null);
  return { kind: "trouble", trouble: makeFaultTrouble(fileAnswer.fault, url) };
}

async function findIdAt({ world, url }: OpenedMirror, path: LocalPath): Promise<Result<DocId | null>> {
  const servicePath = toService(world, path);
  if (!servicePath.endsWith(".md")) return ok(null);
  const { items, fault } = await world.remote.listFiles({ kind: "path", path: servicePath });
  if (fault !== null) return { kind: "trouble", trouble: makeFaultTrouble(fault, url) };
  return ok(items.find((item) => item.path === servicePath)?.id ?? null);
}

type DiffRow = Answer<typeof DIFF>["documents"][number];

/** Lists the documents whose sides differ. Reads only documents that seem to have changed. */
async function listDifferences(mirror: OpenedMirror): Promise<Result<readonly DiffRow[]>> {
  const { world, url } = mirror;
  const planResult = await planSync(mirror, USUAL_RUN);
  if (planResult.kind === "trouble") return planResult;
  const { trees } = planResult.value;
  const rows: DiffRow[] = [];
  for (const one of await Promise.all(pairDocuments(trees).map((pair) => compareSides(world, trees, pair)))) {
    if (one !== null && "fault" in one) return { kind: "trouble", trouble: makeFaultTrouble(one.fault, url) };
    if (one !== null) rows.push(one);
  }
  return ok(rows.toSorted(compareByPath));
}

const withService = defineOnlineRead(DIFF, async (mirror, { path }) => {
  if (path === undefined) {
    const differences = await listDifferences(mirror);
    return differences.kind === "trouble" ? differences : ok({ documents: differences.value });
  }
  const bothSides = await readBothSides(mirror, path);
  if (bothSides.kind === "trouble") return bothSides;
  const { world } = mirror;
  const liveText = toLocalForm(world.disk, path, bothSides.value.live);
  const localText = toLocalForm(world.disk, path, bothSides.value.local);
  const row = makeRow(path, liveText, localText);
  const conflict = readConflictLines(world, path, { live: liveText, local: localText });
  if (conflict === null) return ok({ documents: [row] });
  return ok({ documents: [{ ...row, base: conflict.base, conflict: summarizeLines(conflict.lines) }] });
});

export const diff: ReadOperation<typeof DIFF> = {
  declared: DIFF,
  read(root, { path, n }, options) {
    if (n === undefined) return withService.read(root, { path }, options);
    if (path === undefined) return refusal("a numbered version is of one document", "give a path");
    return withLocal(root, options, (local) => {
      const version = readText(local, path, n);
      if (version.kind === "trouble") return version;
      const localText = readText(local, path, "here");
      return ok({
        documents: [
          makeRow(version.value.path, version.value.text, localText.kind === "ok" ? localText.value.text : null),
        ],
      });
    });
  },
};

/** Omits the content of the lines, because `--json` prints this field. */
function summarizeLines(lines: ConflictLines): DiffRow["conflict"] {
  if (lines.kind !== "parts") return lines;
  return { kind: lines.kind, conflicts: lines.conflicts, origins: listOriginSpans(lines.rows) };
}

const UNREAD_FIELDS = { lines: null, before: null, after: null, base: null, conflict: null } as const;

function makeRow(path: string, before: string | null, after: string | null): DiffRow {
  const lines = countLines(before ?? "", after ?? "");
  const kind = before === null ? "only-local" : after === null ? "only-service" : before === after ? "same" : "differs";
  return { path, kind, lines, before, after, base: null, conflict: null };
}

/**
 * Compares both sides of a document. Returns null if the sides are equal or the document is not
 * synced. Returns the fault if the service does not answer.
 */
async function compareSides(
  world: World,
  { local }: Trees,
  { path, file, document, record }: ComparedEntry,
): Promise<DiffRow | { readonly fault: Fault } | null> {
  const makeUnreadRow = (kind: DiffRow["kind"]): DiffRow => ({ path, kind, ...UNREAD_FIELDS });
  if (document === undefined) return file === undefined ? null : makeUnreadRow("only-local");
  if (file === undefined) return local.ignores(path, "file") ? null : makeUnreadRow("only-service");
  if (file.digest === record?.localDigest && document.changeId === record.changeId) return null;
  const fileAnswer = await world.remote.getFile(document.id);
  if (!fileAnswer.ok)
    return fileAnswer.fault.kind === "problem" ? makeUnreadRow("only-local") : { fault: fileAnswer.fault };
  const readResult = world.disk.read(path);
  if (readResult.kind !== "done") return makeUnreadRow("differs");
  if (readResult.value.text === fileAnswer.value.content) return null;
  return { ...makeUnreadRow("differs"), lines: countLines(fileAnswer.value.content, readResult.value.text) };
}
