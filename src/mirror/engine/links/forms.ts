import { mayHaveLinks } from "../../../markdown/links/candidates.ts";
import { INERT_SCHEME, isId } from "../../../markdown/links/destination.ts";
import {
  readDestinations,
  readInertDestinations,
  readLinkTargets,
  createTargetLookup,
  createLookupByOtherForm,
} from "../../../markdown/links/link-targets.ts";
import { type TargetLookup, toDisk, toService } from "../../../markdown/links/translate.ts";
import type { DocId } from "../../../contract/ids.ts";
import { type Digest, digestOf } from "../../../contract/digest.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { findTargetId, type LinkTarget, type Spelling } from "../../../contract/spelling.ts";
import { isSameInodeAndBirth } from "../../model/record.ts";
import type { LocalFile, RemoteTree } from "../../model/tree.ts";
import type { LocalPlaces } from "../../planner/local-places.ts";
import type { State } from "../../ports/state.ts";
import { isResolvedNow, KnownSpellings, withoutTarget } from "./known-spellings.ts";
import { LinkPlaces, type LinkScope, type PlacesByTime } from "./places.ts";
import { once } from "../../../common/once.ts";

type LinkState = Pick<
  State,
  "load" | "text" | "record" | "putRecord" | "conflict" | "spellings" | "transact" | "transactSafely"
>;

export type DigestedText = { readonly text: string; readonly digest: Digest };

/**
 * Content with links by id that a file's bytes represent, before documents are matched.
 * - `at-path`: the bytes have a stored spelling at this path.
 * - `in-own-file`: the bytes have a spelling at this path, and spellings with other content at
 *   other paths. Therefore `form` is only right if the file belongs to the document at this path.
 * - `no`: the bytes have no spelling at this path. The match decides to which document they belong.
 */
export type RecognisedContent = { readonly form: DigestedText; readonly known: "at-path" | "in-own-file" | "no" };

/**
 * Converts content between its two forms: links by path in local files, links by id on the service.
 * Remembers each conversion as a spelling. Bytes that were read or written once represent the same
 * content forever, so that a moved target never looks like an edit.
 */
export class LinkForms {
  readonly #state: LinkState;
  readonly known: KnownSpellings;
  readonly scope: LinkScope;
  #where: PlacesByTime | null = null;

  constructor(state: LinkState, scope: LinkScope, mayStore: boolean) {
    this.#state = state;
    this.scope = scope;
    this.known = new KnownSpellings(state, mayStore);
  }

  /** Returns false if `text` surely has no link to a document, so that both forms are equal. */
  mayLink(text: string): boolean {
    return mayHaveLinks(text, this.scope.wiki);
  }

  /**
   * Returns the paths of all documents and folders.
   * - `now`: the current paths. After `MirrorLinks.expect`, the paths after the plan.
   * - `before`: the paths in base.
   */
  where(): PlacesByTime {
    this.#where ??= this.#placesInBase();
    return this.#where;
  }

  #placesInBase(): PlacesByTime {
    const base = this.#state.load();
    return { now: new LinkPlaces(base, this.scope), before: new LinkPlaces(base, this.scope) };
  }

  /**
   * Uses the paths that a match found for the remaining steps of the cycle.
   * @param remote the complete listing of the service; null if the listing is incomplete
   */
  matched(match: LocalPlaces, remote: RemoteTree | null): PlacesByTime {
    const placesByTime = this.#placesInBase();
    placesByTime.now.take(match, remote);
    this.#where = placesByTime;
    return placesByTime;
  }

  /**
   * Forgets the paths at the beginning of a cycle, so that the next call reads current paths.
   * @param dry true if nothing may be stored until the next call of `begin`
   */
  begin(dry: boolean): void {
    this.#where = null;
    this.known.begin(dry);
  }

  /** Returns the current paths, which a caller may change; null if this cycle has not read any. */
  placesIfKnown(): LinkPlaces | null {
    return this.#where?.now ?? null;
  }

  /**
   * Returns the content with links by id that a file's bytes represent, before documents are
   * matched. For bytes that the state knows, at this path or another, returns the recorded content.
   * Otherwise finds link targets by the paths in base.
   */
  recognise(path: LocalPath, bytes: DigestedText): RecognisedContent {
    const ownEntry = this.#state.spellings.find(path, bytes.digest);
    const ownForm = this.#remembered(ownEntry);
    const allEntries = this.#state.spellings.withBytes(bytes.digest);
    if (ownEntry !== null && ownForm !== null) {
      this.known.asNewest(ownEntry);
      return {
        form: ownForm,
        known: allEntries.every(({ text }) => text === ownEntry.text) ? "at-path" : "in-own-file",
      };
    }
    const [elsewhere = null] = allEntries;
    return { form: this.#remembered(elsewhere) ?? this.#read(path, bytes, this.where()).form, known: "no" };
  }

  /** Returns true if a file has the recorded inode of the document at its path in base. */
  isOwnFile({ path, stamp }: LocalFile): boolean {
    const id = this.where().before.docAt(path);
    const recordedStamp = id === null ? null : (this.#state.record(id)?.stamp ?? null);
    return recordedStamp !== null && isSameInodeAndBirth(recordedStamp, stamp);
  }

  /** Returns the content with links by id that a file's bytes represent. */
  toService(path: LocalPath, bytes: DigestedText, where: PlacesByTime): DigestedText {
    if (!this.mayLink(bytes.text)) return bytes;
    return (
      this.#remembered(this.known.found(path, bytes.digest, where)) ?? this.readByCurrentPlaces(path, bytes, where)
    );
  }

  /**
   * Returns the content with links by id that a file's bytes represent, for use outside a cycle.
   * Ignores moves since the last cycle, and stores nothing.
   */
  peek(path: LocalPath, bytes: DigestedText): DigestedText {
    if (!this.mayLink(bytes.text)) return bytes;
    return (
      this.#remembered(this.#state.spellings.find(path, bytes.digest)) ?? this.#read(path, bytes, this.where()).form
    );
  }

  /**
   * Returns the content with links by id that a document's set-aside file represents. If a power
   * loss removed the spelling of that file, uses an older spelling of the same bytes at the
   * document's path.
   */
  ofSetAside(setAsideAt: string, path: LocalPath, bytes: DigestedText): DigestedText {
    if (!this.mayLink(bytes.text)) return bytes;
    const spelling =
      this.#state.spellings.find(setAsideAt, bytes.digest) ?? this.#state.spellings.find(path, bytes.digest);
    const knownContent = this.#remembered(spelling);
    return knownContent ?? this.#read(path, bytes, this.where(), this.#state.spellings.atPath(setAsideAt)).form;
  }

  #remembered(spelling: Spelling | null): DigestedText | null {
    const text = spelling === null ? null : this.#state.text(spelling.text);
    return spelling === null || text === null ? null : { text, digest: spelling.text };
  }

  /**
   * Returns the content with links by id, by the current paths only. Ignores stored spellings of
   * these bytes.
   */
  readByCurrentPlaces(path: LocalPath, bytes: DigestedText, where: PlacesByTime): DigestedText {
    const { form, leads, spelledAt } = this.#read(path, bytes, where);
    if (leads.length > 0 || form.digest !== bytes.digest)
      this.known.put({ ...makeSpelling(where.now, path, bytes.digest, form.digest, leads), spelledAt });
    this.#distrustStamp(where.now.docAt(path), form.digest);
    return form;
  }

  /**
   * Marks the stamp of a document's file as untrusted if the file's links lead to other targets
   * than in base. With a trusted stamp, the next scan would assume base's content without reading
   * the file, and mdmirror would never send the changed links.
   */
  #distrustStamp(id: DocId | null, text: Digest): void {
    const record = id === null || !this.known.isKept() ? null : this.#state.record(id);
    if (record?.stampTrusted === true && record.localDigest !== text)
      this.#state.putRecord({ ...record, stampTrusted: false });
  }

  /**
   * @param earlier spellings of the document's earlier bytes; undefined to use all stored spellings
   */
  #read(
    path: LocalPath,
    bytes: DigestedText,
    { now, before }: PlacesByTime,
    earlier?: readonly Spelling[],
  ): { readonly form: DigestedText; readonly leads: readonly LinkTarget[]; readonly spelledAt: LocalPath } {
    // The links of a moved file are relative to the earlier path until mdmirror rewrites them.
    const spelledAt = this.#state.spellings.find(path, bytes.digest)?.spelledAt ?? path;
    const id = now.docAt(path);
    const base = id === null ? null : this.#state.record(id);
    const previousText = base === null ? null : this.#state.text(base.digest);
    const pathBefore = (id === null ? null : before.pathOf(id)) ?? path;
    const earlierEntries = earlier ?? (id === null ? [] : this.#earlier(id, pathBefore));
    const earlierLinks = findEarlierTargets(earlierEntries, bytes.text, now, this.scope);
    const currentPlace = now.unless(spelledAt, (to) => now.isGoneAt(to));
    const placeBefore = before.unless(pathBefore, (to) => now.isUnknownFile(to) || now.isGone(before.idAt(to)));
    const options = {
      before: placeBefore,
      ...(previousText === null ? {} : { previous: previousText }),
      ...earlierLinks,
    };
    const text = toService(bytes.text, currentPlace, options);
    const form = text === bytes.text ? bytes : { text, digest: digestOf(text) };
    const linkTargets = readLinkTargets(bytes.text, currentPlace, [
      earlierLinks.earlierTargets,
      currentPlace,
      placeBefore,
      earlierLinks.formerTargets,
    ]);
    // A file without a record and without spellings may come from an interrupted first sync. The
    // links of such a file may still be ids, which become paths when their targets have local
    // paths.
    const ids =
      base === null && earlierEntries.length === 0
        ? findIds(bytes.text, this.scope.wiki)
        : findUnresolvedIds(earlierEntries);
    return {
      form,
      leads: [...withFormerTargets(linkTargets, earlierEntries, now), ...filterLinkedIds(ids, bytes.text, linkTargets)],
      spelledAt,
    };
  }

  /**
   * Returns the spellings of a document's earlier bytes, the newest first. While two documents swap
   * paths, leaves out the spellings of the other document. Spellings of the document's conflict
   * copies come last: a user may have moved a copy over the document's file.
   */
  #earlier(id: DocId, pathBefore: LocalPath): readonly Spelling[] {
    const settledDigest = this.#state.record(id)?.localDigest;
    const allEntries = this.#state.spellings.atPath(pathBefore);
    const ownEntries = allEntries.filter(
      (entry) => entry.id === null || entry.id === id || entry.text === settledDigest,
    );
    const conflict = this.#state.conflict(id);
    return conflict === null ? ownEntries : [...ownEntries, ...this.#state.spellings.atPath(conflict.newestCopyPath)];
  }

  /**
   * Returns true if a file without a record can be read as `wanted`, the content of a version on
   * the service. For example, downloaded files have no records after a power cut.
   * - Each link of the file must lead to the target of the same link in `wanted`.
   * - Where `wanted` has an id, the link may also lead to a path without a file.
   *
   * If the result is true, stores that the file's bytes represent `wanted`.
   * @param isFree returns true if nothing is at a path
   */
  readAs(path: LocalPath, bytes: DigestedText, wanted: DigestedText, isFree: (target: LocalPath) => boolean): boolean {
    if (!this.mayLink(bytes.text)) return false;
    const { now } = this.where();
    const place = now.from(path);
    const byIds = createLookupByOtherForm(wanted.text, bytes.text, this.scope.wiki);
    const linksByDestination = new Map(
      readLinkTargets(bytes.text, place, [place]).map((lead) => [lead.destination, lead]),
    );
    const formerDestination = (destination: string): string | null => {
      const targetPath = linksByDestination.get(destination)?.at ?? null;
      return targetPath !== null && isFree(targetPath) ? byIds(destination) : null;
    };
    if (toService(bytes.text, place, { previous: wanted.text, formerTargets: formerDestination }) !== wanted.text)
      return false;
    const leads = readLinkTargets(bytes.text, place, [place, formerDestination]);
    const ids = filterLinkedIds(findIds(bytes.text, this.scope.wiki), bytes.text, leads);
    this.known.put(makeSpelling(now, path, bytes.digest, wanted.digest, [...leads, ...ids]));
    return true;
  }

  /**
   * Converts content with links by id to the bytes of a file. Remembers the spelling.
   * @param current current bytes of the file
   */
  toDisk(path: LocalPath, { text, digest }: DigestedText, current?: DigestedText): DigestedText {
    if (!this.mayLink(text)) return { text, digest };
    const place = this.where().now.from(path);
    const spelledText = toDisk(text, place, current === undefined ? {} : { previous: this.#foundIn(path, current) });
    const bytes = spelledText === text ? { text, digest } : { text: spelledText, digest: digestOf(spelledText) };
    const earlierEntry = current === undefined ? null : this.#state.spellings.find(path, current.digest);
    const leads = keepMissingTargets(readLinkTargets(bytes.text, place, [place]), text, earlierEntry, this.scope);
    if (leads.length === 0 && bytes.digest === digest) return bytes;
    const spelling = makeSpelling(this.where().now, path, bytes.digest, digest, leads);
    this.known.put(spelling, current !== undefined && hasNewLink(leads, earlierEntry));
    return bytes;
  }

  /**
   * Returns the content with relative paths instead of ids and absolute paths, where the target is
   * known.
   */
  #foundIn(path: LocalPath, { text, digest }: DigestedText): string {
    const { now } = this.where();
    const knownEntry = this.#state.spellings.find(path, digest);
    return knownEntry !== null && this.hasFound(knownEntry, now) ? toDisk(text, now.from(path)) : text;
  }

  /**
   * Returns true if a link by id or by absolute path has a known target now. Ignores links that are
   * inert (`ref://`) in the content for the service: when such a link gets a target, mdmirror reads
   * the whole file again.
   */
  hasFound({ leads, text }: Spelling, now: LinkPlaces): boolean {
    const resolvedLinks = leads.filter((lead) => isResolvedNow(lead, now));
    return resolvedLinks.some(
      ({ destination, to }) => to !== null || this.#state.text(text)?.includes(INERT_SCHEME + destination) === false,
    );
  }

  /** Returns the content with links by path, for a user to read. Stores nothing. */
  toLocalForm(path: LocalPath, text: string): string {
    return this.mayLink(text) ? toDisk(text, this.where().now.from(path)) : text;
  }
}

function makeSpelling(
  now: LinkPlaces,
  path: LocalPath,
  bytes: Digest,
  text: Digest,
  leads: readonly LinkTarget[],
): Spelling {
  return { path, id: now.docAt(path), bytes, text, spelledAt: path, leads };
}

type EarlierTargets = {
  /**
   * Targets of the links in the newest earlier bytes. A link may still have the old path of its
   * target.
   */
  readonly earlierTargets: TargetLookup;
  /**
   * Targets of the links in older bytes, because a program may save content from before a rewrite
   * of links. Used only if a link has no target in the newest earlier bytes, and nothing is at the
   * link's path.
   */
  readonly formerTargets: TargetLookup;
};

/** @param earlier spellings of the earlier bytes, the newest first */
function findEarlierTargets(
  [newest, ...older]: readonly Spelling[],
  text: string,
  now: LinkPlaces,
  { wiki }: LinkScope,
): EarlierTargets {
  const isKnown = ({ to }: LinkTarget): boolean => to !== null && !now.isGone(to);
  // A document or folder that was deleted may exist again under the same id. The link then leads to
  // that item.
  const earlierLinks = (newest?.leads ?? []).map((lead) => ({ ...lead, to: findTargetId(lead) })).filter(isKnown);
  const formerLookup = once(() => {
    const destinations = new Set(readDestinations(text, wiki));
    const presentTargets = new Set(
      earlierLinks.filter((lead) => destinations.has(lead.destination)).map(({ to }) => to),
    );
    return createTargetLookup(
      older.flatMap((entry) => entry.leads).filter((lead) => isKnown(lead) && !presentTargets.has(lead.to)),
    );
  });
  return {
    earlierTargets: createTargetLookup(earlierLinks),
    formerTargets: (destination) => (older.length === 0 ? null : formerLookup()(destination)),
  };
}

/**
 * Returns the links. If a link has no target now, and its target in earlier bytes is gone, the link
 * gets that target as `former`.
 */
function withFormerTargets(leads: readonly LinkTarget[], earlier: readonly Spelling[], now: LinkPlaces): LinkTarget[] {
  const earlierLinks = once(() => earlier.flatMap((entry) => entry.leads));
  return leads.map((lead) => {
    if (lead.to !== null) return lead;
    const earlierLead = earlierLinks().find(
      (other) => other.destination === lead.destination && findTargetId(other) !== null,
    );
    const formerTarget = earlierLead === undefined ? null : findTargetId(earlierLead);
    return formerTarget === null || !now.isGone(formerTarget) ? lead : { ...lead, former: formerTarget };
  });
}

/**
 * Returns the ids in the links of earlier bytes. An id becomes a path when its target has a local
 * path.
 */
function findUnresolvedIds(earlier: readonly Spelling[]): LinkTarget[] {
  return earlier.flatMap((entry) => entry.leads).filter(({ destination, to }) => destination === to);
}

function findIds(text: string, wiki: boolean): LinkTarget[] {
  return readDestinations(text, wiki).flatMap((destination) =>
    isId(destination) ? [{ destination, at: null, to: destination as LinkTarget["to"] }] : [],
  );
}

/** Returns the `ids` that links in `text` contain and that are not in `leads`. */
function filterLinkedIds(ids: readonly LinkTarget[], text: string, leads: readonly LinkTarget[]): LinkTarget[] {
  const knownDestinations = new Set(leads.map(({ destination }) => destination));
  return ids.filter(
    ({ destination }) =>
      !knownDestinations.has(destination) && knownDestinations.add(destination) && text.includes(destination),
  );
}

/**
 * Returns the links of a file's new content. In two cases, a link that is inert (`ref://`) in the
 * new content gets no target, even if the target exists by now:
 * - The link had no target in the earlier bytes.
 * - The new content has the link by id, too. The service has saved an earlier upload late, in which
 *   the link was inert, and has combined it with a later upload.
 *
 * With a target, mdmirror would not read the file again, and the link would stay inert on the
 * service.
 */
function keepMissingTargets(
  leads: LinkTarget[],
  text: string,
  before: Spelling | null,
  { wiki }: LinkScope,
): readonly LinkTarget[] {
  if (before === null || !text.includes(INERT_SCHEME)) return leads;
  const earlierLinks = new Map(before.leads.map((lead) => [lead.destination, lead]));
  const inertDestinations = new Set(readInertDestinations(text, wiki));
  const destinations = new Set<string>(readDestinations(text, wiki));
  return leads.map((lead) => {
    const earlierLink = earlierLinks.get(lead.destination);
    if (earlierLink === undefined || !inertDestinations.has(lead.destination)) return lead;
    if (earlierLink.to === null) return withoutTarget(lead, earlierLink);
    const isTwice = lead.to !== null && lead.to === earlierLink.to && destinations.has(lead.to);
    return isTwice ? { ...lead, to: null } : lead;
  });
}

/**
 * Returns true if a link in new bytes has no equal link in the old bytes. Equal links have the same
 * destination and the same target.
 */
function hasNewLink(leads: readonly LinkTarget[], before: Spelling | null): boolean {
  return leads.some(
    (lead) => !before?.leads.some(({ destination, to }) => destination === lead.destination && to === lead.to),
  );
}
