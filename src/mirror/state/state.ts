import type { Digest } from "../../contract/digest.ts";
import type { State } from "../ports/state.ts";
import type { Clock } from "../../common/clock.ts";
import { findDamage, openBaseTables, readBase } from "./base.ts";
import type { DatabaseFault, SqliteDatabase } from "./database.ts";
import { EventTable, RunTable, VersionTable } from "./history.ts";
import { ReferencedContents } from "./referenced-texts.ts";
import { type PrunedCounts, pruneState, type RetentionLimits } from "./retention.ts";
import { TableWithStatements } from "./statement.ts";
import { SubtreeMoves } from "./subtree.ts";
import { ContentStore } from "./texts.ts";
import { Transactions } from "./transactions.ts";

type OpenDatabases = {
  readonly state: SqliteDatabase;
  readonly texts: SqliteDatabase;
  readonly clock: Clock;
  readonly close: () => void;
  readonly onDamage?: () => void;
};

/**
 * The state: `state.db` and the content store `texts.db`. Each statement is prepared when it is
 * first needed, and kept until the connection closes.
 */
export class StoredState extends TableWithStatements implements State {
  readonly #tables = openBaseTables(this.db);
  readonly #subtrees = new SubtreeMoves(this.db, this.#tables.blocks);
  readonly #versions = new VersionTable(this.db);
  readonly #events = new EventTable(this.db);
  readonly #runs = new RunTable(this.db);
  readonly #referenced = new ReferencedContents(this.db);
  readonly #texts: ContentStore;
  readonly #transactions: Transactions;
  /** Deletes old rows and contents. The caller runs this about once a day, between two cycles. */
  readonly prune: (now: number, retention: RetentionLimits) => PrunedCounts;
  readonly close: () => void;

  constructor({ state, texts, clock, close, onDamage }: OpenDatabases) {
    super(state);
    this.#texts = new ContentStore(texts, clock, onDamage);
    this.#transactions = new Transactions(state, this.#texts);
    const prunable = { state, texts, store: this.#texts, meta: this.#tables.meta, referenced: this.#referenced };
    this.prune = (now, retention) => pruneState(prunable, now, retention);
    this.close = close;
  }

  readonly transact: State["transact"] = (work) => this.#transactions.run(work);

  readonly transactSafely: State["transactSafely"] = (work) => {
    // ORDER: contents are flushed before rows. After a power loss, no row may refer to lost
    // content.
    this.#texts.secure();
    return this.#transactions.runSafely(work);
  };

  get spellings(): State["spellings"] {
    return this.#tables.spellings;
  }

  readonly load: State["load"] = (take) => this.transact(() => readBase(this.db, this.#tables, take));

  /**
   * Returns a fault if a row that a cycle uses has a value that mdmirror never writes; otherwise
   * null.
   */
  findDamage(): Extract<DatabaseFault, { kind: "damaged" }> | null {
    return this.transact(() => findDamage(this.db, this.#tables));
  }

  readonly record: State["record"] = (id) => this.#tables.records.get(id);
  readonly recordsAt: State["recordsAt"] = (path) => this.#tables.records.atPath(path);
  readonly documentsIn: State["documentsIn"] = (...args) => this.#tables.records.inFolder(...args);
  readonly localPaths: State["localPaths"] = () => this.#tables.records.localPaths();
  readonly hasInode: State["hasInode"] = (dev, ino) => this.#tables.records.hasInode(dev, ino);
  readonly putRecord: State["putRecord"] = (record) => this.#tables.records.put(record);
  readonly removeRecord: State["removeRecord"] = (id) => this.#tables.records.remove(id);
  readonly setDurable: State["setDurable"] = (id, path) => this.#tables.records.setDurable(id, path);

  readonly dir: State["dir"] = (id) => this.#tables.dirs.get(id);
  readonly foldersAt: State["foldersAt"] = (path) => this.#tables.dirs.allAtPath(path);
  readonly dirAt: State["dirAt"] = (path) => this.#tables.dirs.atPath(path);
  readonly putDir: State["putDir"] = (dir) => this.#tables.dirs.put(dir);
  readonly removeDir: State["removeDir"] = (id) => this.#tables.dirs.remove(id);

  readonly moveSubtree: State["moveSubtree"] = (side, from, to) => {
    if (from === "" || to === "") throw new RangeError("the root is not moved");
    this.transact(() => this.#subtrees.move(side, from, to));
  };

  readonly moveMembers: State["moveMembers"] = (side, from, to, within) => {
    if (from === "" || to === "" || within === "") throw new RangeError("the root is not moved");
    this.transact(() => this.#subtrees.moveMembers(side, from, to, within));
  };

  readonly tombstone: State["tombstone"] = (id) => this.#tables.tombstones.get(id);
  readonly putTombstone: State["putTombstone"] = (tombstone) => this.#tables.tombstones.put(tombstone);
  readonly removeTombstone: State["removeTombstone"] = (id) => this.#tables.tombstones.remove(id);

  readonly conflict: State["conflict"] = (id) => this.#tables.conflicts.get(id);
  readonly isCopyOfOther: State["isCopyOfOther"] = (id, path) => this.#tables.conflicts.isCopyOfOther(id, path);
  readonly isCopyInodeOfOther: State["isCopyInodeOfOther"] = (...copy) =>
    this.#tables.conflicts.isCopyInodeOfOther(...copy);
  readonly putConflict: State["putConflict"] = (conflict) => this.#tables.conflicts.put(conflict);
  readonly removeConflict: State["removeConflict"] = (id) => this.#tables.conflicts.remove(id);

  readonly blocks: State["blocks"] = () => [...this.#tables.blocks.load().values()];
  readonly putBlock: State["putBlock"] = (block) => this.#tables.blocks.put(block);
  readonly removeBlock: State["removeBlock"] = (key) => this.#tables.blocks.remove(key);
  readonly replaceBlocks: State["replaceBlocks"] = (blocks) => this.transact(() => this.#tables.blocks.replace(blocks));

  readonly openIntent: State["openIntent"] = (run, intent) => this.#tables.intents.open(run, intent);
  readonly closeIntent: State["closeIntent"] = (id) => this.#tables.intents.close(id);
  readonly intents: State["intents"] = () => this.#tables.intents.all();

  readonly putText: State["putText"] = (text, name) => this.#texts.put(text, name);
  readonly putKnownText: State["putKnownText"] = (digest, text, name) => this.#texts.putKnown(digest, text, name);
  readonly text: State["text"] = (digest) => this.#texts.get(digest);
  readonly hasText: State["hasText"] = (digest) => this.#texts.has(digest);
  readonly secureTexts: State["secureTexts"] = (digest) => this.#texts.secure(digest);
  readonly storedNames: State["storedNames"] = (wanted) => this.#texts.storedNames(wanted);
  readonly digests = (): Digest[] => this.#texts.digests();
  /**
   * Returns the digests of contents that records refer to (base contents and local contents), but
   * that the content store does not have. This happens if `texts.db` was lost or damaged.
   */
  readonly missingTexts = (): Digest[] => this.#referenced.bases().filter((digest) => this.text(digest) === null);

  readonly addVersion: State["addVersion"] = (version) => this.#versions.add(version);
  readonly versions: State["versions"] = (id) => this.#versions.ofDocument(id);
  readonly isEarlier: State["isEarlier"] = (id, changeId, than) => this.#versions.isEarlier(id, changeId, than);

  readonly meta: State["meta"] = (key) => this.#tables.meta.get(key);
  readonly setMeta: State["setMeta"] = (key, value) => this.#tables.meta.set(key, value);

  readonly beginRun: State["beginRun"] = (kind, startedAt) => this.#runs.begin(kind, startedAt);
  readonly endRun: State["endRun"] = (run, startedAt, summary) => this.#runs.end(run, startedAt, summary);
  readonly runs: State["runs"] = (limit) => this.#runs.newest(limit);
  readonly recordEvent: State["recordEvent"] = (event) => this.#events.record(event);
  readonly events: State["events"] = (query) => this.#events.find(query);
  readonly lossesAfter: State["lossesAfter"] = (side, run) => this.#events.lossesAfter(side, run);
}
