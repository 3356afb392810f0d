import type { ChangeId, DocId } from "../../contract/ids.ts";
import type { Digest } from "../../contract/digest.ts";
import type { EventSide, MirrorEvent, State, Version } from "../ports/state.ts";
import type { Db } from "./database.ts";
import { Statement } from "./statement.ts";

type EventRow = [
  run: number,
  at: number,
  kind: string,
  side: EventSide,
  id: string | null,
  path: string,
  detail: string,
  outcome: string,
  code: string | null,
  requestId: string | null,
  before: Digest | null,
  after: Digest | null,
  from: string | null,
  mergeBase: Digest | null,
  mergeTheirs: Digest | null,
  remoteFrom: string | null,
  remoteTo: string | null,
];

type EventQuery = Parameters<State["events"]>[0];
type Value = string | number;

const COLUMNS =
  "run, at, kind, side, id, path, detail, outcome, code, request_id, before, after, from_path, merge_base, merge_theirs, " +
  "remote_from, remote_to";

/** Events, newest last. */
export class EventTable {
  readonly #db: Db;
  readonly #insert;
  readonly #losses;
  /** By its condition: one statement for each set of filters that was used, 32 at most. */
  readonly #queries = new Map<string, Statement<Value[], EventRow>>();

  constructor(db: Db) {
    this.#db = db;
    this.#insert = new Statement(
      db,
      `INSERT INTO events (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    // Actions that removed a document or its content: the safety checks count these; empty folders
    // do not count. The values are literals, because SQLite uses the partial indexes for nothing
    // else.
    this.#losses = {
      local: [countAfter(db, "kind = 'trash-local'"), countAfter(db, "code = 'emptied' AND side <> 'remote'")],
      remote: [countAfter(db, "kind = 'delete-remote'"), countAfter(db, "code = 'emptied' AND side = 'remote'")],
    };
  }

  record(event: MirrorEvent): void {
    this.#insert.run(
      event.run,
      event.at,
      event.kind,
      event.side,
      event.id,
      event.path,
      event.detail,
      event.outcome,
      event.code,
      event.requestId,
      event.before,
      event.after,
      event.from,
      event.merged?.base ?? null,
      event.merged?.theirs ?? null,
      event.remoteMove?.from ?? null,
      event.remoteMove?.to ?? null,
    );
  }

  /** Newest first. */
  find(wanted: EventQuery): MirrorEvent[] {
    const filters = filtersOf(wanted);
    const where = filters.map(([condition]) => condition).join(" AND ");
    const values = filters.map(([, value]) => value);
    return this.#query(where)
      .all(...values, wanted.limit)
      .map(eventOf);
  }

  lossesAfter(side: "local" | "remote", run: number): number {
    return this.#losses[side].reduce((sum, count) => sum + (count.get(run) ?? 0), 0);
  }

  #query(where: string): Statement<Value[], EventRow> {
    const known = this.#queries.get(where);
    if (known !== undefined) return known;
    const condition = where === "" ? "" : `WHERE ${where} `;
    const sql = `SELECT ${COLUMNS} FROM events ${condition}ORDER BY seq DESC LIMIT ?`;
    const made = new Statement<Value[], EventRow>(this.#db, sql, "raw");
    this.#queries.set(where, made);
    return made;
  }
}

function countAfter(db: Db, condition: string) {
  const where = `${condition} AND run > ? AND outcome = 'done'`;
  return new Statement<[number], number>(db, `SELECT count(*) FROM events WHERE ${where}`, "pluck");
}

/** Returns the filters as SQL conditions and their values. */
function filtersOf({ path, id, run, kinds, since }: EventQuery): (readonly [condition: string, value: Value])[] {
  const filters: (readonly [condition: string, value: Value | undefined])[] = [
    ["path = ?", path],
    ["id = ?", id],
    ["run = ?", run],
    ["kind IN (SELECT value FROM json_each(?))", kinds && JSON.stringify(kinds)],
    ["at >= ?", since],
  ];
  return filters.filter((filter): filter is readonly [string, Value] => filter[1] !== undefined);
}

function eventOf(row: EventRow): MirrorEvent {
  const [run, at, kind, side, id, path, detail, outcome, code, requestId, before, after, from, ...rest] = row;
  const [base, theirs, remoteFrom, remoteTo] = rest;
  const merged = base === null || theirs === null ? null : { base, theirs };
  const remoteMove = remoteFrom === null || remoteTo === null ? null : { from: remoteFrom, to: remoteTo };
  const texts = { before, after, merged };
  return { run, at, kind, side, id, path, detail, outcome, code, requestId, ...texts, from, remoteMove };
}

export type RunRow = ReturnType<State["runs"]>[number];

export class RunTable {
  readonly #insert;
  readonly #end;
  readonly #newest;

  constructor(db: Db) {
    this.#insert = new Statement<[string, number]>(db, "INSERT INTO runs (kind, started_at) VALUES (?, ?)");
    this.#end = new Statement<[number, string, number]>(db, "UPDATE runs SET ended_at = ?, summary = ? WHERE run = ?");
    this.#newest = new Statement<[number], RunRow>(
      db,
      "SELECT run, kind, started_at AS startedAt, ended_at AS endedAt, summary FROM runs ORDER BY run DESC LIMIT ?",
    );
  }

  begin(kind: string, at: number): number {
    return Number(this.#insert.run(kind, at).lastInsertRowid);
  }

  end(run: number, at: number, summary: string): void {
    this.#end.run(at, summary, run);
  }

  newest(limit: number): RunRow[] {
    return this.#newest.all(limit);
  }
}

type VersionRow = [DocId, ChangeId, Digest, number];

/** Saved versions of documents that the service showed, in the order of arrival. */
export class VersionTable {
  readonly #insert;
  readonly #byId;
  readonly #arrival;

  constructor(db: Db) {
    // A change id names one saved version; seen again it keeps its place in the order of arrival.
    this.#insert = new Statement(
      db,
      "INSERT INTO versions (id, change_id, digest, at) VALUES (?, ?, ?, ?) " +
        "ON CONFLICT (id, change_id) DO UPDATE SET digest = excluded.digest WHERE digest <> excluded.digest",
    );
    this.#byId = new Statement<[DocId], VersionRow>(
      db,
      "SELECT id, change_id, digest, at FROM versions WHERE id = ? ORDER BY seq DESC",
      "raw",
    );
    this.#arrival = new Statement<[DocId, ChangeId], number>(
      db,
      "SELECT seq FROM versions WHERE id = ? AND change_id = ?",
      "pluck",
    );
  }

  add(version: Version): void {
    this.#insert.run(version.id, version.changeId, version.digest, version.at);
  }

  /** Newest first. */
  of(id: DocId): Version[] {
    return this.#byId.all(id).map(([doc, changeId, digest, at]) => ({ id: doc, changeId, digest, at }));
  }

  isEarlier(id: DocId, changeId: ChangeId, than: ChangeId): boolean {
    const [first, second] = [this.#arrival.get(id, changeId), this.#arrival.get(id, than)];
    return first !== undefined && second !== undefined && first < second;
  }
}
