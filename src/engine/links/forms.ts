import { mayHoldLinks } from "../../links/candidates.ts";
import { leadsOf } from "../../links/leads.ts";
import { toDisk, toService } from "../../links/translate.ts";
import { type DocId, isDocId } from "../../contract/ids.ts";
import { type Digest, digestOf } from "../../model/digest.ts";
import { type LocalPath, parentOf } from "../../model/path.ts";
import type { Lead, Spelling } from "../../model/spelling.ts";
import type { State } from "../../ports/state.ts";
import { idsUnknownBefore, meantBefore } from "./earlier.ts";
import { LinkPlaces, type LinkScope } from "./places.ts";
import { isFoundId } from "./astray.ts";

/** A text with the digest of its bytes. */
export type Form = { readonly text: string; readonly digest: Digest };

/** What is where: now, and when base was made. */
export type Where = { readonly now: LinkPlaces; readonly before: LinkPlaces };

/**
 * The two forms of the texts of a mirror, and what is remembered of them: the bytes of a file stand
 * for the text that they were read or written as, wherever its targets are by now. So a move, here
 * or there, never reads as an edit.
 */
export class LinkForms {
  readonly #state: Pick<State, "load" | "text" | "link" | "conflict" | "spellings">;
  readonly #keeps: boolean;
  readonly scope: LinkScope;
  /** Of a mirror that is only read. */
  readonly #unkept = new Map<string, Spelling>();
  #where: Where | null = null;
  #dry = false;

  /** @param keeps whether the state may be written */
  constructor(
    state: Pick<State, "load" | "text" | "link" | "conflict" | "spellings">,
    scope: LinkScope,
    keeps: boolean,
  ) {
    this.#state = state;
    this.scope = scope;
    this.#keeps = keeps;
  }

  /** Whether a text may read differently in its other form. */
  mayLink(text: string): boolean {
    return mayHoldLinks(text, this.scope.wiki);
  }

  /** Where everything is, and will be when the plan is done. */
  where(): Where {
    this.#where ??= this.whereOfBase();
    return this.#where;
  }

  whereOfBase(): Where {
    const base = this.#state.load();
    return { now: new LinkPlaces(base, this.scope), before: new LinkPlaces(base, this.scope) };
  }

  /** What was where is read anew. @param dry whether nothing may be kept until the next call */
  begin(dry: boolean): void {
    this.#where = null;
    this.#dry = dry;
  }

  /** For changes of places; null: none are known, and the next to ask reads base. */
  placesIfKnown(): LinkPlaces | null {
    return this.#where?.now ?? null;
  }

  /** The text, in the service's form, that a file's bytes stand for, as a walk finds them. */
  toService(path: LocalPath, bytes: Form, where: Where): Form {
    if (!this.mayLink(bytes.text)) return bytes;
    return this.#remembered(this.spellingOf(path, bytes.digest, where)) ?? this.readAnew(path, bytes, where);
  }

  /**
   * The same at any other time, when it is not known what was moved since: of what is new to it,
   * nothing is remembered.
   */
  peek(path: LocalPath, bytes: Form): Form {
    if (!this.mayLink(bytes.text)) return bytes;
    return this.#remembered(this.spellingAt(path, bytes.digest)) ?? this.#read(path, bytes, this.where()).form;
  }

  /** The same for a file of this document that was taken aside. */
  ofParked(parkAt: string, path: LocalPath, bytes: Form): Form {
    if (!this.mayLink(bytes.text)) return bytes;
    const known = this.#remembered(this.spellingAt(parkAt, bytes.digest));
    return known ?? this.#read(path, bytes, this.where(), this.#state.spellings.at(parkAt)).form;
  }

  #remembered(spelling: Spelling | null): Form | null {
    const text = spelling === null ? null : this.#state.text(spelling.text);
    return spelling === null || text === null ? null : { text, digest: spelling.text };
  }

  /** As `toService`, by what is where now, whatever the bytes stood for. */
  readAnew(path: LocalPath, bytes: Form, where: Where): Form {
    const { form, leads } = this.#read(path, bytes, where);
    if (leads.length > 0 || form.digest !== bytes.digest)
      this.put({ path, id: docAt(where.now, path), bytes: bytes.digest, text: form.digest, spelledAt: path, leads });
    return form;
  }

  /** @param earlier what is known of the document's bytes of before; left out: all that is */
  #read(
    path: LocalPath,
    bytes: Form,
    { now, before }: Where,
    earlier?: readonly Spelling[],
  ): { readonly form: Form; readonly leads: readonly Lead[] } {
    const id = docAt(now, path);
    const base = id === null ? null : this.#state.link(id);
    const was = base === null ? null : this.#state.text(base.digest);
    const pathBefore = (id === null ? null : before.pathOf(id)) ?? path;
    const known = earlier ?? (id === null ? [] : this.#earlier(id, pathBefore));
    const meant = meantBefore(known, bytes.text, now, this.scope);
    const place = now.unless(path, (at) => now.isGoneAt(at));
    const placeBefore = before.unless(pathBefore, (at) => now.isUnlinked(at) || now.isGone(before.idAt(at)));
    const options = { before: placeBefore, ...(was === null ? {} : { was }), ...meant };
    const text = toService(bytes.text, place, options);
    const form = text === bytes.text ? bytes : { text, digest: digestOf(text) };
    const leads = leadsOf(bytes.text, place, [meant.stood, place, placeBefore, meant.formerly]);
    return { form, leads: [...leads, ...idsUnknownBefore(known, bytes.text, leads)] };
  }

  /**
   * Of a document's bytes of before, the newest first. What another left there, in an exchange that
   * is not settled, is none of its own. Last those of what stands beside it: a person may have
   * written it over.
   */
  #earlier(id: DocId, pathBefore: LocalPath): readonly Spelling[] {
    const settled = this.#state.link(id)?.localDigest;
    const all = this.#state.spellings.at(pathBefore);
    const own = all.filter((one) => one.id === null || one.id === id || one.text === settled);
    const beside = this.#state.conflict(id);
    return beside === null ? own : [...own, ...this.#state.spellings.at(beside.sidecarPath)];
  }

  /**
   * The bytes for a text in the service's form.
   * @param was the file's bytes until now
   */
  toDisk(path: LocalPath, { text, digest }: Form, was?: Form): Form {
    if (!this.mayLink(text)) return { text, digest };
    const place = this.where().now.from(path);
    const spelled = toDisk(text, place, was === undefined ? {} : { was: this.#foundIn(path, was) });
    const bytes = spelled === text ? { text, digest } : { text: spelled, digest: digestOf(spelled) };
    const leads = leadsOf(bytes.text, place, [place]);
    if (leads.length > 0 || bytes.digest !== digest)
      this.put({ path, id: docAt(this.where().now, path), bytes: bytes.digest, text: digest, spelledAt: path, leads });
    return bytes;
  }

  /** A file's text in which no link stands as an id whose target has come since. */
  #foundIn(path: LocalPath, { text, digest }: Form): string {
    const { now } = this.where();
    const isFound = this.spellingAt(path, digest)?.leads.some((lead) => isFoundId(lead, now)) === true;
    return isFound ? toDisk(text, now.from(path)) : text;
  }

  /** The same for a person to see; nothing is remembered. */
  shown(path: LocalPath, text: string): string {
    return this.mayLink(text) ? toDisk(text, this.where().now.from(path)) : text;
  }

  /**
   * What is remembered of these bytes: at this path; of a file that was moved, as its document's,
   * or at base's path of that; or at another path of this folder, from which its links lead to the
   * same.
   */
  spellingOf(path: LocalPath, bytes: Digest, { now, before }: Where): Spelling | null {
    const own = this.spellingAt(path, bytes);
    if (own !== null) return this.#asNewest(own);
    const others = this.#state.spellings.with(bytes);
    if (others.length === 0) return null;
    const id = now.idAt(path);
    const old = id === null ? null : before.pathOf(id);
    const found =
      others.find((other) => id !== null && other.id === id) ??
      others.find((other) => other.path === old) ??
      ofFolder(others, parentOf(path));
    if (found !== null) this.put({ ...found, path, id: docAt(now, path) });
    return found;
  }

  /**
   * Bytes that are there are the newest that were: an editor's undo, or an effect that was undone,
   * brings back older ones, and the next edit begins from them.
   */
  #asNewest(spelling: Spelling): Spelling {
    if (this.#state.spellings.at(spelling.path)[0]?.bytes !== spelling.bytes) this.put(spelling);
    return spelling;
  }

  /** A file was not written after all, and its bytes are what they were. */
  unwritten(path: LocalPath, bytes: Digest): void {
    const spelling = this.spellingAt(path, bytes);
    if (spelling !== null) this.#asNewest(spelling);
  }

  /** The same of a text that its bytes stood for, after a kill. */
  unwrittenText(path: LocalPath, text: Digest): void {
    const spelling = this.#state.spellings.at(path).find((one) => one.text === text);
    if (spelling !== undefined) this.#asNewest(spelling);
  }

  /** What was taken aside is back, or about to be. */
  unparking(parkAt: string, path: LocalPath): void {
    const [spelling] = this.#state.spellings.at(parkAt);
    if (spelling !== undefined) this.#asNewest({ ...spelling, path });
  }

  spellingAt(path: LocalPath, bytes: Digest): Spelling | null {
    return this.#unkept.get(`${path}\0${bytes}`) ?? this.#state.spellings.of(path, bytes);
  }

  put(spelling: Spelling): void {
    if (this.#keeps && !this.#dry) this.#state.spellings.put(spelling);
    else this.#unkept.set(`${spelling.path}\0${spelling.bytes}`, spelling);
  }

  /** A file is about to be taken aside. */
  parking(path: LocalPath, bytes: Digest, parkAt: string): void {
    const spelling = this.spellingAt(path, bytes);
    if (spelling !== null) this.put({ ...spelling, path: parkAt });
  }

  /** A file or folder is about to be moved. */
  moving(from: LocalPath, to: LocalPath): void {
    if (this.#keeps) this.#state.spellings.copy(from, to);
  }
}

function docAt(places: LinkPlaces, path: LocalPath): DocId | null {
  const id = places.idAt(path);
  return isDocId(id) ? id : null;
}

function ofFolder(spellings: readonly Spelling[], folder: LocalPath): Spelling | null {
  const near = spellings.filter(({ spelledAt }) => parentOf(spelledAt) === folder);
  const [first] = near;
  return first !== undefined && near.every(({ text }) => text === first.text) ? first : null;
}
