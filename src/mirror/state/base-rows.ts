import type { DirId, DocId } from "../../contract/ids.ts";
import type { Conflict, DirLink, Hold, Link, Placed, Stamp, Tombstone } from "../model/link.ts";
import type { LocalPath } from "../../contract/path.ts";
import type { BaseTree } from "../model/tree.ts";
import type { State } from "../ports/state.ts";
import { type BaseTables, examineBase, readBase } from "./base.ts";
import type { DatabaseFault, Db } from "./database.ts";
import { Statement } from "./statement.ts";
import { SubtreeMoves } from "./subtree.ts";
import { type Companion, Transactions } from "./transactions.ts";

/** The part of the port that reads and writes the rows of the base tree. */
export class BaseRows {
  readonly #db: Db;
  readonly #tables: BaseTables;
  readonly #transactions: Transactions;
  readonly #subtrees: SubtreeMoves;
  readonly #version;
  /**
   * What was read at the opening, for the first load, unless something was written since, here or
   * by another process.
   */
  #examined: BaseTree | null = null;
  #examinedVersion: unknown;

  /** @param companion takes part in every transaction */
  constructor(db: Db, tables: BaseTables, companion: Companion) {
    this.#db = db;
    this.#tables = tables;
    this.#transactions = new Transactions(db, companion);
    this.#subtrees = new SubtreeMoves(db, tables.holds);
    this.#version = new Statement(db, "PRAGMA data_version", "pluck");
  }

  get spellings(): State["spellings"] {
    return this.#tables.spellings;
  }

  transact<T>(work: () => T): T {
    return this.#transactions.run(work);
  }

  transactSafely<T>(work: () => T): T {
    return this.#transactions.runSafely(work);
  }

  load(): BaseTree {
    const known = this.#version.get() === this.#examinedVersion ? this.#examined : null;
    this.#examined = null;
    return known ?? this.transact(() => readBase(this.#db, this.#tables));
  }

  /**
   * For the opening: reads all rows that a pass uses, and looks for impossible ones. null: there
   * are none.
   */
  examine(): Extract<DatabaseFault, { kind: "damaged" }> | null {
    // ORDER: read before the rows: what is written while they are read is not in them.
    this.#examinedVersion = this.#version.get();
    const found = this.transact(() => examineBase(this.#db, this.#tables));
    this.#examined = found.kind === "sound" ? found.base : null;
    return found.kind === "sound" ? null : found;
  }

  /** The tables for writing: what was read earlier is dropped. */
  #toWrite(): BaseTables {
    this.#examined = null;
    return this.#tables;
  }

  link(id: DocId): Link | null {
    return this.#tables.links.get(id);
  }

  linksAt(path: LocalPath): Link[] {
    return this.#tables.links.at(path);
  }

  documentsIn(...[folder, depth, most]: Parameters<State["documentsIn"]>): Placed[] {
    return this.#tables.links.in(folder, depth, most);
  }

  localPaths(): LocalPath[] {
    return this.#tables.links.localPaths();
  }

  hasInode(dev: number, ino: number): boolean {
    return this.#tables.links.hasInode(dev, ino);
  }

  putLink(link: Link): void {
    this.#toWrite().links.put(link);
  }

  removeLink(id: DocId): void {
    this.#toWrite().links.remove(id);
  }

  setDurable(id: DocId, localPath: string): void {
    this.#toWrite().links.setDurable(id, localPath);
  }

  dir(id: DirId): DirLink | null {
    return this.#tables.dirs.get(id);
  }

  dirAt(path: LocalPath): DirLink | null {
    return this.#tables.dirs.at(path);
  }

  putDir(dir: DirLink): void {
    this.#toWrite().dirs.put(dir);
  }

  removeDir(id: DirId): void {
    this.#toWrite().dirs.remove(id);
  }

  moveSubtree(...[side, from, to]: Parameters<State["moveSubtree"]>): void {
    if (from === "" || to === "") throw new RangeError("the root is not moved");
    this.#examined = null;
    this.transact(() => this.#subtrees.move(side, from, to));
  }

  moveMembers(...[side, from, to, within]: Parameters<State["moveMembers"]>): void {
    if (from === "" || to === "" || within === "") throw new RangeError("the root is not moved");
    this.#examined = null;
    this.transact(() => this.#subtrees.moveMembers(side, from, to, within));
  }

  putTombstone(tombstone: Tombstone): void {
    this.#toWrite().tombstones.put(tombstone);
  }

  removeTombstone(id: DocId): void {
    this.#toWrite().tombstones.remove(id);
  }

  conflict(id: DocId): Conflict | null {
    return this.#tables.conflicts.get(id);
  }

  isCopyOfOther(id: DocId, path: LocalPath): boolean {
    return this.#tables.conflicts.isCopyOfOther(id, path);
  }

  isCopyInodeOfOther(id: DocId, stamp: Pick<Stamp, "dev" | "ino">): boolean {
    return this.#tables.conflicts.isCopyInodeOfOther(id, stamp);
  }

  putConflict(conflict: Conflict): void {
    this.#toWrite().conflicts.put(conflict);
  }

  removeConflict(id: DocId): void {
    this.#toWrite().conflicts.remove(id);
  }

  holds(): Hold[] {
    return [...this.#tables.holds.load().values()];
  }

  putHold(hold: Hold): void {
    this.#toWrite().holds.put(hold);
  }

  removeHold(key: string): void {
    this.#toWrite().holds.remove(key);
  }

  replaceHolds(holds: readonly Hold[]): void {
    const tables = this.#toWrite();
    this.transact(() => tables.holds.replace(holds));
  }
}
