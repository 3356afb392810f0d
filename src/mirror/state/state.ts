import type { ChangeId, DocId } from "../../contract/ids.ts";
import type { Digest } from "../../contract/digest.ts";
import type { Intent, MirrorEvent, OpenIntent, Sighting, State, TextName, Version } from "../ports/state.ts";
import type { Clock } from "../../common/clock.ts";
import { type BaseTables, openBaseTables } from "./base.ts";
import { BaseRows } from "./base-rows.ts";
import type { Db } from "./database.ts";
import { EventTable, type RunRow, RunTable, VersionTable } from "./history.ts";
import { ReferencedTexts } from "./referenced-texts.ts";
import { type Pruned, type Retention, RetentionPruning } from "./retention.ts";
import { TextStore } from "./texts.ts";

type OpenFiles = {
  readonly state: Db;
  readonly texts: Db;
  readonly clock: Clock;
  /** Closes both. */
  readonly close: () => void;
  /** Called when the file of texts is found damaged while it is used. Default: nobody is told. */
  readonly onDamage?: () => void;
};

/**
 * The port of the state, over two open databases. A statement is prepared when it is first needed,
 * and kept as long as the connection.
 */
export class StoredState extends BaseRows implements State {
  readonly #close: () => void;
  readonly #texts: TextStore;
  readonly #intents: BaseTables["intents"];
  readonly #meta: BaseTables["meta"];
  readonly #versions: VersionTable;
  readonly #events: EventTable;
  readonly #runs: RunTable;
  readonly #referenced: ReferencedTexts;
  readonly #retention: RetentionPruning;

  constructor({ state, texts, clock, close, onDamage }: OpenFiles) {
    const store = new TextStore(texts, clock, onDamage);
    const tables = openBaseTables(state);
    super(state, tables, store);
    this.#close = close;
    this.#texts = store;
    this.#intents = tables.intents;
    this.#meta = tables.meta;
    this.#versions = new VersionTable(state);
    this.#events = new EventTable(state);
    this.#runs = new RunTable(state);
    this.#referenced = new ReferencedTexts(state);
    this.#retention = new RetentionPruning(state, texts, store, tables.meta, this.#referenced);
  }

  openIntent(run: number, intent: Intent): number {
    return this.#intents.open(run, intent);
  }

  closeIntent(intentId: number): void {
    this.#intents.close(intentId);
  }

  turnIntent(intentId: number, next: Intent): void {
    this.transact(() => this.#intents.turn(intentId, next));
  }

  intents(): OpenIntent[] {
    return this.#intents.all();
  }

  putText(text: string, name: TextName): Digest {
    return this.#texts.put(text, name);
  }

  putKnownText(digest: Digest, text: string, name: TextName): void {
    this.#texts.putKnown(digest, text, name);
  }

  text(digest: Digest): string | null {
    return this.#texts.get(digest);
  }

  hasText(digest: Digest): boolean {
    return this.#texts.has(digest);
  }

  secureTexts(): void {
    this.#texts.secure();
  }

  override transactSafely<T>(work: () => T): T {
    // ORDER: rows that survive must not name texts that do not.
    this.#texts.secure();
    return super.transactSafely(work);
  }

  sightings(wanted: Parameters<State["sightings"]>[0]): Sighting[] {
    return this.#texts.sightings(wanted);
  }

  /** The digests of all texts in the store. LIMIT: all of them are in memory. */
  digests(): Digest[] {
    return this.#texts.digests();
  }

  /**
   * Texts that links name, as base or as local text, and that the store does not hold any more:
   * `texts.db` was lost, or one of its texts is damaged.
   */
  missingTexts(): Digest[] {
    return this.#referenced.bases().filter((digest) => !this.#texts.isSound(digest));
  }

  addVersion(version: Version): void {
    this.#versions.add(version);
  }

  versions(id: DocId): Version[] {
    return this.#versions.of(id);
  }

  isEarlier(id: DocId, changeId: ChangeId, than: ChangeId): boolean {
    return this.#versions.isEarlier(id, changeId, than);
  }

  meta(key: string): string | null {
    return this.#meta.get(key);
  }

  setMeta(key: string, value: string | null): void {
    this.#meta.set(key, value);
  }

  beginRun(kind: string, at: number): number {
    return this.#runs.begin(kind, at);
  }

  endRun(run: number, at: number, summary: string): void {
    this.#runs.end(run, at, summary);
  }

  runs(limit: number): RunRow[] {
    return this.#runs.newest(limit);
  }

  record(event: MirrorEvent): void {
    this.#events.record(event);
  }

  events(query: Parameters<State["events"]>[0]): MirrorEvent[] {
    return this.#events.find(query);
  }

  lossesAfter(side: "local" | "remote", run: number): number {
    return this.#events.lossesAfter(side, run);
  }

  /** See `RetentionPruning`. To be run to its end, a step at a time, about once a day. */
  prune(now: number, retention: Retention): Generator<void, Pruned> {
    return this.#retention.prune(now, retention);
  }

  close(): void {
    this.#close();
  }
}
