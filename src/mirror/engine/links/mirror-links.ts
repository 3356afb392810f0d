import { type DocId, isDocId } from "../../../contract/ids.ts";
import { INERT_SCHEME } from "../../../markdown/links/destination.ts";
import { linkTargetsOf, targetLookup, withoutDestinations } from "../../../markdown/links/link-targets.ts";
import { respell, toDisk } from "../../../markdown/links/translate.ts";
import { type Digest, digestOf } from "../../../contract/digest.ts";
import type { DocumentRecord } from "../../model/record.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { LinkTarget, Spelling } from "../../../contract/spelling.ts";
import type { LocalTree, TextLookup, Trees } from "../../model/tree.ts";
import type { Plan } from "../../planner/plan-types.ts";
import type { Disk, OnText } from "../../ports/disk.ts";
import type { State } from "../../ports/state.ts";
import { type DigestedText, LinkForms } from "./forms.ts";
import {
  withoutTarget,
  isFileOfAnother,
  isSameSpelling,
  isPathOfAnother,
  isTargetAmbiguous,
  hasMovedTarget,
  hasNewTarget,
} from "./leads-elsewhere.ts";
import { type InertLinks, reportInertLinks } from "./inert.ts";
import { LinkedDisk } from "./linked-disk.ts";
import { LinkPlaces, type LinkScope } from "./places.ts";
import type { MatchInput } from "./read-found.ts";

/** A file with a link that no longer leads to its target, and the bytes that correct the link. */
export type Respelling = {
  readonly record: DocumentRecord;
  readonly from: Spelling;
  readonly to: Spelling;
  readonly bytes: DigestedText;
};

type Options = {
  readonly state: State;
  readonly disk: Disk;
  readonly scope: LinkScope;
  /** True if the state may be written. */
  readonly mayStore: boolean;
};

/** Adds the conversion of links to a cycle. */
export class MirrorLinks {
  readonly disk: LinkedDisk;
  readonly forms: LinkForms;
  readonly #state: State;
  /**
   * Paths of the content that was sent since inert links were last reported, with base's content at
   * that time; null if the document was new.
   */
  readonly #sent = new Map<LocalPath, Digest | null>();
  /** Documents that a scan found outside the linked subtree. */
  #outside: ReadonlySet<DocId> = new Set();

  constructor({ state, disk, scope, mayStore }: Options) {
    this.forms = new LinkForms(state, scope, mayStore);
    this.#state = state;
    this.disk = new LinkedDisk(disk, this.forms, state);
  }

  /**
   * Returns a lookup in which a content is equal in its local form and in the form of the service.
   */
  comparing(texts: TextLookup): TextLookup {
    return (digest) => {
      const text = texts(digest);
      return text === null ? null : withoutDestinations(text, this.forms.scope.wiki);
    };
  }

  /**
   * Returns documents that links lead to by path, and that neither base nor a complete listing
   * shows.
   */
  unknownTargets({ base, local, remote }: Trees): DocId[] {
    if (!remote.complete) return [];
    const pathsRead = new Set<LocalPath>();
    const ids = new Set<DocId>();
    // Newest bytes first: the targets in earlier bytes of a file count when these bytes return.
    for (const { path, leads } of this.#state.spellings.all()) {
      if (pathsRead.has(path) || !local.files.has(path)) continue;
      pathsRead.add(path);
      for (const { destination, to } of leads) if (destination !== to && isDocId(to)) ids.add(to);
    }
    const isKnown = (id: DocId): boolean => base.records.has(id) || base.tombstones.has(id) || remote.files.has(id);
    return [...ids].filter((id) => !isKnown(id) && !remote.outside.has(id) && !remote.unseen.has(id));
  }

  /**
   * Records link targets that are outside the linked subtree. Links to these targets become ids.
   */
  noteOutside(ids: ReadonlySet<DocId>): void {
    this.#outside = ids;
  }

  /**
   * Reads links after both sides are scanned.
   * @param again true if the listing of the service is complete. Links whose targets appeared or
   * disappeared are then read, too
   */
  read(trees: Trees, matching: MatchInput, keep: OnText, again: boolean): LocalTree {
    const local = this.disk.found.readNew(trees, matching, keep, again);
    return again ? this.disk.found.readAgain({ ...trees, local }, matching, keep) : local;
  }

  /**
   * Takes the paths that a plan gives to documents, so that links lead to them. Called before the
   * plan is carried out.
   */
  expect(plan: Plan): void {
    this.forms.where().now.expect(plan);
  }

  /**
   * Returns the digest of a file's content as it is about to be sent: a link in it may lead to a
   * document that was created since.
   * @param expect content that the plan saw
   * @returns digest of the content to send
   */
  digestWithCurrentLinks(path: LocalPath, expect: Digest, keep: OnText): Digest {
    // Most content has no links, so it has no entry, and its file need not be read.
    if (this.forms.known.ofContent(path, expect) === null) return expect;
    if (!this.#sent.has(path)) this.#sent.set(path, this.#baseAt(path));
    const bytes = this.disk.plain.read(path);
    if (bytes.kind !== "done") return expect;
    const spelling = this.forms.known.get(path, bytes.value.digest);
    const where = this.forms.where();
    if (spelling === null || spelling.text !== expect || !hasNewTarget(spelling.leads, where.now)) return expect;
    const form = this.forms.readByCurrentPlaces(path, bytes.value, where);
    keep(form.digest, form.text, path);
    return form.digest;
  }

  /**
   * Returns true if a file whose document has no record yet can be read as that document's content.
   * If so, its bytes represent that content from now on.
   * @param expect content that the plan saw
   */
  readsAs(path: LocalPath, expect: Digest, wanted: DigestedText): boolean {
    const bytes = this.disk.plain.read(path);
    if (bytes.kind !== "done" || this.forms.peek(path, bytes.value).digest !== expect) return false;
    const isFree = (target: LocalPath): boolean => this.disk.plain.look(target).kind === "absent";
    return this.forms.readAs(path, bytes.value, wanted, isFree);
  }

  /**
   * Returns the targets of the links in a content, from when its file was last read; empty if it
   * has no links.
   * @param path path of the file, or its future path once the plan has moved its folder
   */
  leadsOf(path: LocalPath, text: Digest): readonly LinkTarget[] {
    const known = this.forms.known.ofContent(path, text);
    return (known ?? this.#state.spellings.all().find((entry) => entry.text === text))?.leads ?? [];
  }

  /** Returns true if a link that had no target when it was sent has one now. */
  hasOpenTargets(): boolean {
    const spellings = this.#state.spellings.all();
    if (spellings.length === 0) return false;
    // Base after the cycle: it may have lost the target of a link.
    const now = new LinkPlaces(this.#state.load(), this.forms.scope);
    return spellings.some(({ leads }) => hasNewTarget(leads, now));
  }

  /**
   * Returns the files whose links must be rewritten because documents moved. Compares where links
   * lead with where documents are. So nothing is missed, even after an interrupted cycle, or one
   * that did not know of a move.
   */
  *respellings(): Generator<Respelling> {
    const spellings = this.#state.spellings.all();
    if (spellings.length === 0) return;
    const base = this.#state.load();
    const places = new LinkPlaces(base, this.forms.scope);
    places.setOutside(this.#outside);
    const byPath = new Map([...base.records.values()].map((record) => [places.pathOf(record.id), record]));
    for (const spelling of spellings) {
      const record = byPath.get(spelling.path);
      // A document that was moved out of the linked subtree, and edited locally, keeps its file.
      // The links in that file are rewritten, too.
      if (record === undefined || record.state === "suspended" || !hasMovedTarget(spelling, places)) continue;
      if (isFileOfAnother(spelling, record)) continue;
      if (spelling.leads.some((lead) => isTargetAmbiguous(lead, places))) continue;
      const respelled = this.#respell(spelling, record, places);
      if (respelled !== null) yield respelled;
    }
  }

  #respell(spelling: Spelling, record: DocumentRecord, places: LinkPlaces): Respelling | null {
    const { path, bytes: digest, leads } = spelling;
    const read = this.disk.plain.read(path);
    // If the file was edited or written since that read, it is read again.
    if (read.kind !== "done" || read.value.digest !== digest) return null;
    const place = places.from(path);
    const open = new Map(leads.flatMap((lead) => (lead.to === null ? [[lead.destination, lead]] : [])));
    const displaced = new Set<string | null>(leads.flatMap((lead) => (isPathOfAnother(lead, places) ? [lead.to] : [])));
    const moved = respell(read.value.text, targetLookup(leads), place, (id) => displaced.has(id));
    const text = this.forms.hasFound(spelling, places) ? toDisk(moved, place) : moved;
    const bytes = text === read.value.text ? read.value : { text, digest: digestOf(text) };
    const to = {
      path,
      id: record.id,
      bytes: bytes.digest,
      text: spelling.text,
      spelledAt: path,
      // A link without a target in the content stays without one until the file is read again, even
      // if its target exists by now.
      leads: linkTargetsOf(text, place, [place, targetLookup(leads)]).map((lead) =>
        withoutTarget(lead, open.get(lead.destination)),
      ),
    };
    return isSameSpelling(spelling, to) ? null : { record, from: spelling, to, bytes };
  }

  /**
   * Records the bytes of a file before and after it is rewritten, because recovery must know which
   * content each represents. Called before the write.
   */
  note({ from, to }: Respelling, setAsideAt: string): void {
    this.forms.known.recordSettingAside(from.path, from.bytes, setAsideAt);
    this.forms.known.put(to);
  }

  /**
   * Records that a file was not rewritten, so its current bytes are the newest that mdmirror knows.
   * Called if mdmirror was killed before it set the file aside.
   */
  unwritten(path: LocalPath, setAsideAt: string): void {
    const { known } = this.forms;
    const atPath = this.disk.plain.look(path);
    if (atPath.kind === "file" && known.get(path, atPath.digest) !== null) known.recordUnwritten(path, atPath.digest);
    else known.recordPuttingBack(setAsideAt, path);
  }

  #baseAt(path: LocalPath): Digest | null {
    const id = this.forms.where().now.idAt(path);
    return isDocId(id) ? (this.#state.record(id)?.digest ?? null) : null;
  }

  /**
   * Returns the links that lead to no document, in content that was sent since the last call.
   * Leaves out links that base's content had.
   */
  takeInert(local: LocalTree): readonly InertLinks[] {
    if (this.#sent.size === 0) return [];
    const texts = [...this.#sent].toSorted(byFirst).map(([path, base]) => {
      const before = base === null ? "" : (this.#state.text(base) ?? "");
      const leads = this.#state.spellings.atPath(path)[0]?.leads ?? [];
      return { path, leads: leads.filter(({ destination }) => !before.includes(INERT_SCHEME + destination)) };
    });
    this.#sent.clear();
    return reportInertLinks(texts, local, new LinkPlaces(this.#state.load(), this.forms.scope));
  }

  /**
   * Removes entries about bytes that no file has any more. Does nothing while the journal has rows,
   * because a replacement may still be reverted.
   */
  tidy(): void {
    if (!this.#state.spellings.isEmpty() && this.#state.intents().length === 0) this.#state.spellings.removeLost();
  }
}

function byFirst([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
