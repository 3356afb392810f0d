import type { ChangeId, DocId } from "../../contract/ids.ts";
import type { Digest } from "../../contract/digest.ts";
import type { EventSide, MirrorEvent, State, Version } from "../ports/state.ts";
import { type Statement, WithStatements } from "./statement.ts";

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
export class EventTable extends WithStatements {
  /** Prepared queries by their condition: one for each set of filters that was used, 32 at most. */
  readonly #queries = new Map<string, Statement<Value[], EventRow>>();
  readonly #insert = this.sql(
    `INSERT INTO events (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  // SQL conditions for actions that removed a document or its content, which the safety checks
  // count; empty folders do not count. The values are literals, because SQLite uses a partial index
  // only with literals.
  readonly #losses = {
    local: [this.#countAfter("kind = 'trash-local'"), this.#countAfter("code = 'emptied' AND side <> 'remote'")],
    remote: [this.#countAfter("kind = 'delete-remote'"), this.#countAfter("code = 'emptied' AND side = 'remote'")],
  };

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

  #countAfter(condition: string) {
    const sql = `SELECT count(*) FROM events WHERE ${condition} AND run > ? AND outcome = 'done'`;
    return this.sql<[number], number>(sql, "pluck");
  }

  #query(where: string): Statement<Value[], EventRow> {
    const known = this.#queries.get(where);
    if (known !== undefined) return known;
    const condition = where === "" ? "" : `WHERE ${where} `;
    const sql = `SELECT ${COLUMNS} FROM events ${condition}ORDER BY seq DESC LIMIT ?`;
    const made = this.sql<Value[], EventRow>(sql, "raw");
    this.#queries.set(where, made);
    return made;
  }
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

export class RunTable extends WithStatements {
  readonly #insert = this.sql<[string, number]>("INSERT INTO runs (kind, started_at) VALUES (?, ?)");
  readonly #end = this.sql<[number, string, number]>("UPDATE runs SET ended_at = ?, summary = ? WHERE run = ?");
  readonly #newest = this.sql<[number], RunRow>(
    "SELECT run, kind, started_at AS startedAt, ended_at AS endedAt, summary FROM runs ORDER BY run DESC LIMIT ?",
  );

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
export class VersionTable extends WithStatements {
  // A change id names one saved version. If it is seen again, the version keeps its place in the
  // order of arrival.
  readonly #insert = this.sql(
    "INSERT INTO versions (id, change_id, digest, at) VALUES (?, ?, ?, ?) " +
      "ON CONFLICT (id, change_id) DO UPDATE SET digest = excluded.digest WHERE digest <> excluded.digest",
  );
  readonly #byId = this.sql<[DocId], VersionRow>(
    "SELECT id, change_id, digest, at FROM versions WHERE id = ? ORDER BY seq DESC",
    "raw",
  );
  readonly #arrival = this.sql<[DocId, ChangeId], number>(
    "SELECT seq FROM versions WHERE id = ? AND change_id = ?",
    "pluck",
  );

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
