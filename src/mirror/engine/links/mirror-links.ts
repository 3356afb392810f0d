import { type DocId, isDocId } from "../../../contract/ids.ts";
import { INERT_SCHEME } from "../../../markdown/links/destination.ts";
import { createTargetLookup, readLinkTargets, removeDestinations } from "../../../markdown/links/link-targets.ts";
import { respell, toDisk } from "../../../markdown/links/translate.ts";
import { type Digest, digestOf } from "../../../contract/digest.ts";
import { comparePaths } from "../../model/by-path.ts";
import type { DocumentRecord } from "../../model/record.ts";
import { ancestorsOf, type LocalPath } from "../../../contract/path.ts";
import type { LinkTarget, Spelling } from "../../../contract/spelling.ts";
import type { LocalTree, TextLookup, Trees } from "../../model/tree.ts";
import type { Plan } from "../../planner/plan-types.ts";
import type { Disk, StoreContent } from "../../ports/disk.ts";
import type { State } from "../../ports/state.ts";
import { type DigestedText, LinkForms } from "./forms.ts";
import {
  firstOfEachPath,
  hasMovedTarget,
  hasNewTarget,
  isFileOfAnother,
  isPathOfAnother,
  isSameSpelling,
  isTargetAmbiguous,
  withoutTarget,
} from "./known-spellings.ts";
import { LinkedDisk, type MatchInput } from "./linked-disk.ts";
import { LinkPlaces, type LinkScope } from "./places.ts";
import { readNameOfDestination } from "../../../markdown/links/wiki.ts";

/** A file with links to rewrite: the spellings before and after, and the new bytes. */
export type Respelling = {
  readonly record: DocumentRecord;
  readonly from: Spelling;
  readonly to: Spelling;
  readonly bytes: DigestedText;
};

type LinksOptions = {
  readonly state: State;
  readonly disk: Disk;
  readonly scope: LinkScope;
  readonly mayStore: boolean;
};

export class MirrorLinks {
  readonly disk: LinkedDisk;
  readonly forms: LinkForms;
  readonly #state: State;
  /**
   * Files with links that were uploaded since the last report of inert links. Each value is the
   * digest of base's content before the upload; null for a new document.
   */
  readonly #sent = new Map<LocalPath, Digest | null>();
  /** Documents that a scan found outside the linked folder. */
  #outside: ReadonlySet<DocId> = new Set();

  constructor({ state, disk, scope, mayStore }: LinksOptions) {
    this.forms = new LinkForms(state, scope, mayStore);
    this.#state = state;
    this.disk = new LinkedDisk(disk, this.forms);
  }

  /**
   * Returns a function that finds contents and removes their link destinations, so that both forms
   * are equal.
   */
  comparing(texts: TextLookup): TextLookup {
    return (digest) => {
      const text = texts(digest);
      return text === null ? null : removeDestinations(text, this.forms.scope.wiki);
    };
  }

  /**
   * Returns link targets that are neither in base nor in the listing; none if the listing is
   * incomplete.
   */
  unknownTargets({ base, local, remote }: Trees): DocId[] {
    if (!remote.complete) return [];
    const ids = new Set<DocId>();
    const spellings = this.#state.spellings.all().filter(({ path }) => local.files.has(path));
    for (const { leads } of firstOfEachPath(spellings))
      for (const { destination, to } of leads) if (destination !== to && isDocId(to)) ids.add(to);
    const isKnown = (id: DocId): boolean => base.records.has(id) || base.tombstones.has(id) || remote.files.has(id);
    return [...ids].filter((id) => !isKnown(id) && !remote.outside.has(id) && !remote.unseen.has(id));
  }

  /** Records documents outside the linked folder. Links to such documents become links by id. */
  noteOutside(ids: ReadonlySet<DocId>): void {
    this.#outside = ids;
  }

  /**
   * Finds the targets of links in scanned files, after both sides were scanned.
   * @param again true to include links whose targets appeared or disappeared; the listing of the
   * service must then be complete
   */
  read(trees: Trees, matching: MatchInput, keep: StoreContent, again: boolean): LocalTree {
    const local = this.disk.resolveNew(trees, matching, keep, again);
    return again ? this.disk.resolveAgain({ ...trees, local }, this.#state.spellings.all(), matching, keep) : local;
  }

  expect(plan: Plan): void {
    this.forms.where().now.expect(plan);
  }

  /**
   * Finds the targets of a file's links again right before the content is sent, because a target
   * may have been created since the plan.
   * @param expect digest of the content in the plan
   * @returns digest of the content to send
   */
  digestWithCurrentLinks(path: LocalPath, expect: Digest, keep: StoreContent): Digest {
    // Most content has no links and no spelling, so mdmirror need not read the file.
    if (this.#state.spellings.ofContent(path, expect) === null) return expect;
    if (!this.#sent.has(path)) this.#sent.set(path, this.#baseAt(path));
    const bytes = this.disk.plain.read(path);
    if (bytes.kind !== "done") return expect;
    const spelling = this.#state.spellings.find(path, bytes.value.digest);
    const placesByTime = this.forms.where();
    if (spelling === null || spelling.text !== expect || !hasNewTarget(spelling.leads, placesByTime.now)) return expect;
    const currentForm = this.forms.readByCurrentPlaces(path, bytes.value, placesByTime);
    keep(currentForm.digest, currentForm.text, path);
    return currentForm.digest;
  }

  /**
   * Returns true if a local file without a record can be read as `wanted`, the content of its
   * document on the service. If so, also stores that the file's bytes represent `wanted`.
   * @param expect digest of the file's content in the plan
   */
  readsAs(path: LocalPath, expect: Digest, wanted: DigestedText): boolean {
    const bytes = this.disk.plain.read(path);
    if (bytes.kind !== "done" || this.forms.peek(path, bytes.value).digest !== expect) return false;
    const isFree = (target: LocalPath): boolean => this.disk.plain.look(target).kind === "absent";
    return this.forms.readAs(path, bytes.value, wanted, isFree);
  }

  /**
   * Returns the link targets of a file's content, as of mdmirror's last read of the file; empty if
   * the content has no links.
   * @param path path of the file now or after the plan
   */
  leadsOf(path: LocalPath, text: Digest): readonly LinkTarget[] {
    const { spellings } = this.#state;
    return (spellings.ofContent(path, text) ?? spellings.all().find((entry) => entry.text === text))?.leads ?? [];
  }

  /** Returns true if a link that was uploaded without a target has a target now. */
  hasOpenTargets(): boolean {
    const spellings = this.#state.spellings.all();
    if (spellings.length === 0) return false;
    // Base is loaded again, because the cycle has changed it.
    const base = this.#state.load();
    const currentPlaces = new LinkPlaces(base, this.forms.scope);
    const isOfRecordedContent = ({ path, text }: Spelling): boolean => {
      const id = currentPlaces.docAt(path);
      return id !== null && base.records.get(id)?.localDigest === text;
    };
    return firstOfEachPath(spellings.filter(isOfRecordedContent)).some(({ leads }) =>
      hasNewTarget(leads, currentPlaces),
    );
  }

  /**
   * Returns the files with links to documents that moved. Compares the stored targets of links with
   * the current paths of documents. Therefore no file is missed, even if a cycle was interrupted or
   * did not know of a move.
   */
  *respellings(): Generator<Respelling> {
    const spellings = this.#state.spellings.all();
    if (spellings.length === 0) return;
    const base = this.#state.load();
    const currentPlaces = new LinkPlaces(base, this.forms.scope);
    currentPlaces.setOutside(this.#outside);
    const byPath = new Map([...base.records.values()].map((record) => [currentPlaces.pathOf(record.id), record]));
    for (const spelling of spellings) {
      const record = byPath.get(spelling.path);
      // A document that was moved out of the linked folder on the service and edited locally keeps
      // its file. The links in that file are rewritten as well.
      if (record === undefined || record.state === "suspended" || !hasMovedTarget(spelling, currentPlaces)) continue;
      if (isFileOfAnother(spelling, record)) continue;
      if (spelling.leads.some((lead) => isTargetAmbiguous(lead, currentPlaces))) continue;
      const respelling = this.#respell(spelling, record, currentPlaces);
      if (respelling !== null) yield respelling;
    }
  }

  #respell(spelling: Spelling, record: DocumentRecord, places: LinkPlaces): Respelling | null {
    const { path, bytes: digest, leads } = spelling;
    const readOutcome = this.disk.plain.read(path);
    // The file has changed since its spelling was stored, so the next scan reads the file.
    if (readOutcome.kind !== "done" || readOutcome.value.digest !== digest) return null;
    const linkPlace = places.from(path);
    const openLinks = new Map(leads.flatMap((lead) => (lead.to === null ? [[lead.destination, lead]] : [])));
    const displacedIds = new Set<string | null>(
      leads.flatMap((lead) => (isPathOfAnother(lead, places) ? [lead.to] : [])),
    );
    const movedText = respell(readOutcome.value.text, createTargetLookup(leads), linkPlace, (id) =>
      displacedIds.has(id),
    );
    const text = this.forms.hasFound(spelling, places) ? toDisk(movedText, linkPlace) : movedText;
    const bytes = text === readOutcome.value.text ? readOutcome.value : { text, digest: digestOf(text) };
    const newEntry = {
      path,
      id: record.id,
      bytes: bytes.digest,
      text: spelling.text,
      spelledAt: path,
      // A link without a target gets no target, even if the target exists by now. With a target,
      // mdmirror would not read the file again, and the link would stay inert on the service.
      leads: readLinkTargets(text, linkPlace, [linkPlace, createTargetLookup(leads)]).map((lead) =>
        withoutTarget(lead, openLinks.get(lead.destination)),
      ),
    };
    return isSameSpelling(spelling, newEntry) ? null : { record, from: spelling, to: newEntry, bytes };
  }

  /**
   * Stores both spellings of a rewritten file, because recovery must know which content the bytes
   * represent.
   */
  note({ from, to }: Respelling, setAsideAt: string): void {
    this.forms.known.recordSettingAside(from.path, from.bytes, setAsideAt);
    this.forms.known.put(to);
  }

  /** Makes the old spelling the newest again, if a crash prevented the rewrite of the file. */
  unwritten(path: LocalPath, setAsideAt: string): void {
    const { known } = this.forms;
    const pathState = this.disk.plain.look(path);
    if (pathState.kind === "file" && this.#state.spellings.find(path, pathState.digest) !== null)
      known.recordUnwritten(path, pathState.digest);
    else known.recordPuttingBack(setAsideAt, path);
  }

  #baseAt(path: LocalPath): Digest | null {
    const id = this.forms.where().now.idAt(path);
    return isDocId(id) ? (this.#state.record(id)?.digest ?? null) : null;
  }

  /** Returns uploaded links that lead to no document, except links that led to none in base. */
  takeInert(local: LocalTree): readonly InertLinks[] {
    if (this.#sent.size === 0) return [];
    const texts = [...this.#sent]
      .toSorted(([a], [b]) => comparePaths(a, b))
      .map(([path, base]) => {
        const baseText = base === null ? "" : (this.#state.text(base) ?? "");
        const leads = this.#state.spellings.atPath(path)[0]?.leads ?? [];
        return { path, leads: leads.filter(({ destination }) => !baseText.includes(INERT_SCHEME + destination)) };
      });
    this.#sent.clear();
    return reportInertLinks(texts, local, new LinkPlaces(this.#state.load(), this.forms.scope));
  }

  /**
   * Removes unused spellings. Does nothing while the journal has rows, because recovery may still
   * revert their effects.
   */
  tidy(): void {
    if (!this.#state.spellings.isEmpty() && this.#state.intents().length === 0) this.#state.spellings.removeLost();
  }
}

/** Uploaded links that lead to no document (`ref://…`): their number by reason, and examples. */
export type InertLinks = {
  readonly reason: InertReason;
  readonly count: number;
  /** Files with links that lead to no document. `to` is the destination as written in the file. */
  readonly first: readonly { readonly path: LocalPath; readonly to: string }[];
};

/**
 * Reason why a link leads to no document.
 * - `no-target`: nothing is at the path.
 * - `no-document`: an image or another kind of file is at the path.
 * - `not-mirrored`: the file at the path is never synced.
 * - `not-created`: the document is not on the service, because its upload is blocked.
 * - `outside`: the path is outside the linked folder.
 * - `pending`: the target exists now, but the document with the link is in review, blocked or in
 *   conflict.
 */
type InertReason = "no-target" | "no-document" | "not-mirrored" | "not-created" | "outside" | "pending";

/** LIMIT: number of links in the report for each reason, so that the report stays short. */
const MAX_LISTED = 5;

type TargetPlaces = Pick<LinkPlaces, "idAt" | "isGone">;

/**
 * Returns the links that lead to no document, by reason. The most frequent reason comes first.
 * @param texts paths of the uploaded files, and the targets of their links
 */
function reportInertLinks(
  texts: Iterable<{ readonly path: LocalPath; readonly leads: readonly LinkTarget[] }>,
  tree: LocalTree,
  places: TargetPlaces,
): InertLinks[] {
  const linksByReason = new Map<InertReason, { count: number; readonly first: { path: LocalPath; to: string }[] }>();
  for (const { path, leads } of texts) {
    for (const lead of leads) {
      const reason = findInertReason(lead, tree, places);
      if (reason === null) continue;
      const entry = linksByReason.get(reason) ?? { count: 0, first: [] };
      linksByReason.set(reason, entry);
      entry.count++;
      if (entry.first.length < MAX_LISTED) entry.first.push({ path, to: lead.destination });
    }
  }
  return [...linksByReason].map(([reason, entry]) => ({ reason, ...entry })).toSorted((a, b) => b.count - a.count);
}

/**
 * Returns the reason why a link leads to no document. Returns null if the link leads to a document,
 * or was uploaded as written.
 */
function findInertReason(
  { destination, at, to }: LinkTarget,
  { files, folders, others, ignores }: LocalTree,
  places: TargetPlaces,
): InertReason | null {
  const isInert =
    (to === null || (destination !== to && places.isGone(to))) && readNameOfDestination(destination) === null;
  if (!isInert) return null;
  if (at === null) return "outside";
  if (places.idAt(at) !== null) return "pending";
  if (files.has(at) || folders.has(at)) return "not-created";
  if (at === "") return "no-document";
  if (others.has(at) || ignores(at, "file")) return at.endsWith(".md") ? "not-mirrored" : "no-document";
  return ancestorsOf(at).some((folder) => others.has(folder) || ignores(folder, "folder"))
    ? "not-mirrored"
    : "no-target";
}
