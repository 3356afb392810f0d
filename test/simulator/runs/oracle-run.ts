import type { RunReport } from "../../../src/mirror/engine/run/report.ts";
import { type ChangesBefore, checkUndone } from "./oracle-undone.ts";
import { type Digest, digestOf } from "../../../src/contract/digest.ts";
import type { DocId } from "../../../src/contract/ids.ts";
import { sameExceptTextForm } from "../../../src/mirror/model/text-form.ts";
import { META } from "../../../src/mirror/engine/run/meta.ts";
import type { MirrorEvent } from "../../../src/mirror/ports/state.ts";
import { DEFAULT_GUARD_LIMITS } from "../../../src/mirror/model/policy.ts";
import { makeTheirsCopyPath } from "../../../src/mirror/model/names.ts";
import { computeDeleteBudget } from "../../../src/mirror/planner/verdict/verdict.ts";
import { normaliseText } from "../../variants/traits.ts";
import type { Actors } from "./actors.ts";
import { withoutRename } from "./wire-reading.ts";
import { CANARY, documentsOf, PRIVATE_FOLDER } from "./user-folder.ts";
import { isTextOf, withoutDestinations } from "./contents.ts";
import { ROOT } from "../mirror.ts";
import type { SimulatedMirror } from "./mirror.ts";
import { MAX_NAME_BYTES } from "../../../src/contract/path.ts";

/** Facts about one sync of one mirror, for the oracle. */
export type RunFacts = {
  readonly report: RunReport | null;
  readonly killed: boolean;
  readonly before: ReadonlyMap<string, string>;
  /** Digests of the files of documents, as their records had them before the sync. */
  readonly localDigests: ReadonlyMap<DocId, Digest>;
  /**
   * Changes of each side before the sync; null if a write that may revert them is still on its way.
   */
  readonly changesBefore: ChangesBefore | null;
  readonly intervened: boolean;
  readonly unmounted: boolean;
  /**
   * Documents for which the service showed an outdated version before the sync: it was restored
   * from a backup, and no user has accepted that.
   */
  readonly superseded: readonly string[];
  /**
   * Paths of files that were replaced before the sync, and into whose old file a program has saved
   * since.
   */
  readonly savedLate: ReadonlySet<string>;
  /** True if a user had approved a stopped plan, and the sync ends the approval. */
  readonly approved: boolean;
  /** Number of disk calls that changed something outside `.mdmirror/`. */
  readonly diskWrites: number;
  /** Statuses of the mirror's requests; 0 for no answer. */
  readonly heard: readonly number[];
};

/** Checks one sync by the state before and after it: I04, I06, I09, I19, I20, I21, I26, I27. */
export function checkRun(actors: Actors, index: number, facts: RunFacts, idsBefore: ReadonlyMap<string, string>): void {
  const mirror = actors.mirrors[index]!;
  const { history } = actors;
  actors.noteIds();
  const idsAfter = actors.liveIds();
  // A file that cannot be synced has no tag.
  for (const [id, tag] of idsBefore)
    if (tag !== "" && !idsAfter.has(id) && !actors.mayVanish(id))
      history.fail(`I09 ${id} (document ${tag}) vanished in a run of mirror ${index}, and nobody deleted it`);
  checkTrash(actors, mirror, facts);
  checkLockedOut(actors, mirror, facts);
  checkBudget(actors, mirror);
  checkConflictCopies(actors, mirror);
  checkBase(actors, mirror);
  checkStopped(actors, mirror, facts);
  checkDirection(actors, mirror, facts);
  if (facts.changesBefore !== null && !facts.killed && !facts.intervened)
    checkUndone(actors, mirror, facts.changesBefore, actors.oracles[index]!.refusedIds);
  const { user } = mirror.disk;
  if (user.read(`${ROOT}/${PRIVATE_FOLDER}/diary.md`) !== CANARY || user.read("/home/ann/outside/secret.md") !== CANARY)
    history.fail(`I26 mirror ${index} changed what is private or outside`);
}

const judged = new WeakMap<SimulatedMirror, Set<string>>();

/**
 * Checks I04 I06 I20: if a mirror moved a file to the trash, its key could not read the document at
 * some time of that sync, and the content was on the service before.
 */
function checkTrash(actors: Actors, mirror: SimulatedMirror, { localDigests }: RunFacts): void {
  const seen = judged.get(mirror) ?? new Set<string>();
  judged.set(mirror, seen);
  const files = actors.simulatedWorld.readable(mirror.index);
  const { prefix } = mirror.setup;
  for (const { id, trashPath, digest, localPath } of mirror.state.load().tombstones.values()) {
    if (trashPath === null || seen.has(trashPath)) continue;
    seen.add(trashPath);
    const live = files.find((one) => one.id === id);
    const isInside = live !== undefined && (prefix === "" || live.path.startsWith(`${prefix}/`));
    if (isInside && !actors.wasUnreadable(id))
      actors.history.fail(`I04 mirror ${mirror.index} took ${localPath} away, and ${id} is at ${live.path}`);
    const text = mirror.disk.user.read(`${ROOT}/.mdmirror/${trashPath}`);
    if (text === null) continue;
    const versions = new Set([digest, ...mirror.state.versions(id).map((one) => one.digest)]);
    // If a deployment normalizes content, the file keeps the sent content, and the version has the
    // normalized one.
    const spelled = actors.simulatedWorld.normalises ? [text, normaliseText(text)] : [text];
    const isVersion = [...versions].some((one) => spelled.some((as) => isTextOf(mirror.state, one, as)));
    // A document and a file that differ only by their form are linked without a change of either.
    const isOtherForm =
      digestOf(text) === localDigests.get(id) &&
      [...versions].some((one) => sameExceptTextForm(mirror.state.text(one) ?? "", text));
    if (!isVersion && !isOtherForm)
      actors.history.fail(`I06 mirror ${mirror.index} took ${localPath} away with an edit in it`);
  }
}

/**
 * Checks I19: if a sync got only refusals and errors, no local file was removed. A file that a
 * power cut emptied, zeroed or cut off is no loss if a whole file is at its path afterwards: the
 * sync has restored it from the history.
 */
function checkLockedOut(
  actors: Actors,
  mirror: SimulatedMirror,
  { before, heard, intervened, killed, savedLate }: RunFacts,
): void {
  if (intervened || killed || heard.some((status) => status > 0 && status < 300)) return;
  const documents = documentsOf(mirror.userFolder);
  const after = new Set(Array.from(documents.values(), withoutDestinations));
  const isRestored = (path: string, text: string): boolean =>
    documents.has(path) && (text.includes("\0") || documents.get(path)!.startsWith(text));
  for (const [path, text] of before)
    if (!after.has(withoutDestinations(text)) && !savedLate.has(path) && !isRestored(path, text))
      actors.history.fail(`I19 mirror ${mirror.index} took ${path} away, and heard only ${heard.join(" ")}`);
}

const HOUR_MS = 3_600_000;

/** Checks I21 by the mirror's own log: the deletions within an hour, since the last approval. */
function checkBudget(actors: Actors, mirror: SimulatedMirror): void {
  const { state } = mirror;
  if (state.meta(META.approved) !== null) return;
  const lately = state.meta(META.losses);
  const approved = lately === null ? 0 : (JSON.parse(lately) as { readonly after: number }).after;
  const since = actors.simulatedWorld.wallClock.now() - HOUR_MS;
  const done = state.events({ since, limit: 10_000 }).filter((event) => event.run > approved && isLoss(event));
  const base = state.load();
  const most = budgetOf(base.records.size + base.tombstones.size);
  for (const side of ["local", "remote"] as const) {
    const lost = done.filter((event) => (event.side === "remote") === (side === "remote")).length;
    if (lost > most) actors.history.fail(`I21 mirror ${mirror.index} did ${lost} deletions (${side}) unasked`);
  }
}

function isLoss({ kind, code, outcome }: MirrorEvent): boolean {
  return outcome === "done" && (kind === "trash-local" || kind === "delete-remote" || code === "emptied");
}

/**
 * Checks I12: base's content is the content of base's version. If that version was not read back
 * yet, it is the sent content.
 */
function checkBase(actors: Actors, mirror: SimulatedMirror): void {
  const { records } = mirror.state.load();
  const unread = new Set(
    mirror.state.intents().flatMap(({ intent }) => (intent.kind === "read-back" ? [intent.id] : [])),
  );
  for (const { id, path, changeId, text } of actors.simulatedWorld.files()) {
    const record = unread.has(id) ? undefined : records.get(id);
    if (
      record !== undefined &&
      withoutRename(record.changeId) === withoutRename(changeId) &&
      record.digest !== digestOf(text)
    )
      actors.history.fail(`I12 base of mirror ${mirror.index} has another text of ${path} than that version's`);
  }
}

/** Checks I03 I04 I21: the plans that a safety check must stop. */
function checkStopped(actors: Actors, mirror: SimulatedMirror, facts: RunFacts): void {
  const { unmounted, superseded, before, diskWrites, intervened, approved } = facts;
  const sent = actors.oracles[mirror.index]!.requests.filter((request) => !request.startsWith("GET "));
  const fail = (what: string): void => actors.history.fail(`${what} (mirror ${mirror.index}): ${sent.join(", ")}`);
  if (unmounted && sent.length > 0) fail("I04 it writes there, and its folder is not there");
  if (!intervened && superseded.length > 0 && (sent.length > 0 || diskWrites > 0))
    fail(`I03 it writes, and the service shows a superseded version of ${superseded.join(" ")}`);
  if (intervened || approved) return;
  // If the answer to a DELETE was lost, it is sent again; both are one deletion.
  const deleted = new Set(sent.filter((request) => request.startsWith("DELETE /v1/files/")));
  if (before.size === 0 && deleted.size > 1) fail("I21 it deletes there all that is gone here");
  const after = documentsOf(mirror.userFolder);
  // The safety check stops a plan if all linked documents are gone from the service. One linked
  // document without a local file may remain there. Its user renamed the file to an unsynced name,
  // a kill interrupted its replacement, or the document left the linked part of the workspace.
  const { records } = mirror.state.load();
  const isEmptied = !actors.simulatedWorld.readable(mirror.index).some(({ id }) => records.has(id));
  // If a power cut left a file empty or as zeros, it is downloaded again, and may be in the trash
  // until then.
  const whole = [...before.values()].filter((text) => text !== "" && !text.includes("\0"));
  if (whole.length > 1 && after.size === 0 && isEmptied) fail("I21 it takes away here all that is gone there");
}

/** Checks I03: with one direction, a sync changes one side only. */
function checkDirection(
  { history, oracles }: Actors,
  { index, direction }: SimulatedMirror,
  { diskWrites }: RunFacts,
): void {
  const sent = oracles[index]!.requests.filter((request) => !request.startsWith("GET "));
  if (direction === "pull" && sent.length > 0)
    history.fail(`I03 mirror ${index} only downloads, and sends ${sent.join(", ")}`);
  if (direction === "push" && diskWrites > 0) history.fail(`I03 mirror ${index} only uploads, and writes local files`);
}

/**
 * Versions that each conflict of a mirror has shown, by document, time of its beginning, and first
 * version.
 */
const shownBefore = new WeakMap<SimulatedMirror, Map<string, readonly Digest[]>>();

/** Checks I27: no conflict of a conflict copy, and each name of a copy belongs to one version. */
function checkConflictCopies(actors: Actors, mirror: SimulatedMirror): void {
  const fail = (what: string): void => actors.history.fail(`I27 mirror ${mirror.index} ${what}`);
  const texts = mirror.disk.user.texts(ROOT);
  for (const path of texts.keys()) if (/\(theirs.*\(theirs/.test(path)) fail(`has a conflict of a conflict: ${path}`);
  const { conflicts, records } = mirror.state.load();
  const before = shownBefore.get(mirror) ?? new Map<string, readonly Digest[]>();
  shownBefore.set(mirror, before);
  for (const { id, since, shown } of conflicts.values()) {
    const digests = shown.map(({ digest }) => digest);
    const conflict = `${id} ${since} ${digests[0]}`;
    const known = before.get(conflict) ?? [];
    if (known.some((digest, index) => digests[index] !== digest))
      fail(`gives the name of a copy of ${id} to another version`);
    before.set(conflict, digests);
    const document = records.get(id)?.localPath;
    for (const [index, digest] of document === undefined ? [] : digests.entries()) {
      const text = texts.get(makeTheirsCopyPath(document!, index + 1, MAX_NAME_BYTES));
      const found = text === undefined ? digest : digestOf(text);
      if (found !== digest && digests.includes(found))
        fail(`shows another version of ${id} under the name of version ${index + 1}`);
    }
  }
}

/** Returns the limit of deletions on one side without approval. */
function budgetOf(known: number): number {
  return computeDeleteBudget(DEFAULT_GUARD_LIMITS, known);
}
