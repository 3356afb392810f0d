import type { DocId } from "../../contract/ids.ts";
import type { Link } from "../../model/link.ts";
import type { LocalPath } from "../../model/path.ts";
import type { BaseTree } from "../../model/tree.ts";
import type { MirrorEvent, State } from "../../ports/state.ts";

/**
 * The state as passes of the daemon see it: it passes records on to the listeners, and keeps what
 * was loaded until something is written. Loading 10,000 links takes 25 ms, more than all else
 * between an edit and its PUT.
 */
export class CachedState implements State {
  readonly #below: State;
  readonly #onRecord: (event: MirrorEvent) => void;
  #loaded: BaseTree | null = null;
  /**
   * The links of `#loaded`, as long as nobody else has them: only then may they be changed in
   * place.
   */
  #ownLinks: Map<DocId, Link> | null = null;

  constructor(below: State, onRecord: (event: MirrorEvent) => void) {
    this.#below = below;
    this.#onRecord = onRecord;
  }

  get spellings(): State["spellings"] {
    return this.#below.spellings;
  }

  /** Somebody else has written to the state below: what was loaded is dropped. */
  forget(): void {
    this.#loaded = null;
    this.#ownLinks = null;
  }

  transact<T>(work: () => T): T {
    return this.#orForget(() => this.#below.transact(work));
  }

  transactSafely<T>(work: () => T): T {
    return this.#orForget(() => this.#below.transactSafely(work));
  }

  #orForget<T>(transaction: () => T): T {
    try {
      return transaction();
    } catch (error) {
      // The transaction was rolled back, so what was changed here did not happen.
      this.forget();
      throw error;
    }
  }

  load(): BaseTree {
    this.#loaded ??= this.#below.load();
    this.#ownLinks = null;
    return this.#loaded;
  }

  putLink(link: Link): void {
    this.#below.putLink(link);
    this.#noteLink(link);
  }

  setDurable(id: DocId, localPath: LocalPath): void {
    this.#below.setDurable(id, localPath);
    const link = this.#loaded?.links.get(id);
    if (link?.localPath === localPath) this.#noteLink({ ...link, durable: true });
  }

  replaceHolds(holds: Parameters<State["replaceHolds"]>[0]): void {
    if (holds.length > 0 || this.#loaded === null || this.#loaded.holds.size > 0) this.forget();
    this.#below.replaceHolds(holds);
  }

  record(event: MirrorEvent): void {
    this.#below.record(event);
    this.#onRecord(event);
  }

  #noteLink(link: Link): void {
    if (this.#loaded === null) return;
    if (this.#ownLinks === null) {
      this.#ownLinks = new Map(this.#loaded.links);
      this.#loaded = { ...this.#loaded, links: this.#ownLinks };
    }
    this.#ownLinks.set(link.id, link);
  }

  /** The state below, for changing base: what was loaded is dropped. */
  #toChange(): State {
    this.forget();
    return this.#below;
  }

  readonly removeLink: State["removeLink"] = (id) => this.#toChange().removeLink(id);
  readonly putDir: State["putDir"] = (dir) => this.#toChange().putDir(dir);
  readonly removeDir: State["removeDir"] = (id) => this.#toChange().removeDir(id);
  readonly moveSubtree: State["moveSubtree"] = (...move) => this.#toChange().moveSubtree(...move);
  readonly moveMembers: State["moveMembers"] = (...move) => this.#toChange().moveMembers(...move);
  readonly putTombstone: State["putTombstone"] = (tombstone) => this.#toChange().putTombstone(tombstone);
  readonly removeTombstone: State["removeTombstone"] = (id) => this.#toChange().removeTombstone(id);
  readonly putConflict: State["putConflict"] = (conflict) => this.#toChange().putConflict(conflict);
  readonly removeConflict: State["removeConflict"] = (id) => this.#toChange().removeConflict(id);
  readonly putHold: State["putHold"] = (hold) => this.#toChange().putHold(hold);
  readonly removeHold: State["removeHold"] = (key) => this.#toChange().removeHold(key);

  readonly holds: State["holds"] = () => this.#below.holds();
  readonly link: State["link"] = (id) => this.#below.link(id);
  readonly linksAt: State["linksAt"] = (path) => this.#below.linksAt(path);
  readonly documentsIn: State["documentsIn"] = (...wanted) => this.#below.documentsIn(...wanted);
  readonly localPaths: State["localPaths"] = () => this.#below.localPaths();
  readonly hasInode: State["hasInode"] = (dev, ino) => this.#below.hasInode(dev, ino);
  readonly dir: State["dir"] = (id) => this.#below.dir(id);
  readonly dirAt: State["dirAt"] = (path) => this.#below.dirAt(path);
  readonly conflict: State["conflict"] = (id) => this.#below.conflict(id);
  readonly isCopyOfOther: State["isCopyOfOther"] = (id, path) => this.#below.isCopyOfOther(id, path);

  readonly openIntent: State["openIntent"] = (run, intent) => this.#below.openIntent(run, intent);
  readonly closeIntent: State["closeIntent"] = (intentId) => this.#below.closeIntent(intentId);
  readonly turnIntent: State["turnIntent"] = (intentId, next) => this.#below.turnIntent(intentId, next);
  readonly intents: State["intents"] = () => this.#below.intents();

  readonly putText: State["putText"] = (text, name) => this.#below.putText(text, name);
  readonly putKnownText: State["putKnownText"] = (...known) => this.#below.putKnownText(...known);
  readonly text: State["text"] = (digest) => this.#below.text(digest);
  readonly hasText: State["hasText"] = (digest) => this.#below.hasText(digest);
  readonly sightings: State["sightings"] = (wanted) => this.#below.sightings(wanted);
  readonly secureTexts: State["secureTexts"] = () => this.#below.secureTexts();
  readonly addVersion: State["addVersion"] = (version) => this.#below.addVersion(version);
  readonly versions: State["versions"] = (id) => this.#below.versions(id);
  readonly isEarlier: State["isEarlier"] = (...ids) => this.#below.isEarlier(...ids);

  readonly meta: State["meta"] = (key) => this.#below.meta(key);
  readonly setMeta: State["setMeta"] = (key, value) => this.#below.setMeta(key, value);
  readonly beginRun: State["beginRun"] = (kind, at) => this.#below.beginRun(kind, at);
  readonly endRun: State["endRun"] = (...run) => this.#below.endRun(...run);
  readonly events: State["events"] = (query) => this.#below.events(query);
  readonly runs: State["runs"] = (limit) => this.#below.runs(limit);
  readonly lossesAfter: State["lossesAfter"] = (...range) => this.#below.lossesAfter(...range);
  readonly close: State["close"] = () => this.#below.close();
}
