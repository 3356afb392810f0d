import type { Digest } from "../model/digest.ts";
import type { EventSide, MirrorEvent, State } from "../ports/state.ts";
import { once } from "../model/once.ts";
import type { Db } from "./database.ts";

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
];

export type EventQuery = Parameters<State["events"]>[0];
export type RunRow = ReturnType<State["runs"]>[number];

const COLUMNS =
  "run, at, kind, side, id, path, detail, outcome, code, request_id, before, after, from_path, merge_base, merge_theirs";

export function openEvents(db: Db) {
  const insert = db.prepare(`INSERT INTO events (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  // Actions that took a document away: what the delete budget counts; empty folders do not. The
  // kinds are literals, as SQLite uses the partial indexes for nothing else.
  const deletions = { local: countSince(db, "trash-local"), remote: countSince(db, "delete-remote") };
  const query = preparedByShape(db);
  return {
    record(event: MirrorEvent): void {
      insert.run(
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
      );
    },
    find(wanted: EventQuery): MirrorEvent[] {
      return query(wanted).map(eventOf);
    },
    deletionsSince(side: "local" | "remote", since: number): number {
      return deletions[side].get(since) ?? 0;
    },
  };
}

function countSince(db: Db, kind: "trash-local" | "delete-remote") {
  const where = `kind = '${kind}' AND at >= ? AND outcome = 'done'`;
  return db.prepare<[number], number>(`SELECT count(*) FROM events WHERE ${where}`).pluck();
}

/** One statement for each set of filters that was asked for: 32 at most, each prepared once. */
function preparedByShape(db: Db): (wanted: EventQuery) => EventRow[] {
  const prepared = new Map<string, ReturnType<typeof prepareQuery>>();
  return (wanted) => {
    const filters: string[] = [];
    const values: (string | number)[] = [];
    const filter = (sql: string, value: string | number | undefined) => {
      if (value === undefined) return;
      filters.push(sql);
      values.push(value);
    };
    filter("path = ?", wanted.path);
    filter("id = ?", wanted.id);
    filter("run = ?", wanted.run);
    filter("kind IN (SELECT value FROM json_each(?))", wanted.kinds && JSON.stringify(wanted.kinds));
    filter("at >= ?", wanted.since);
    const where = filters.join(" AND ");
    let statement = prepared.get(where);
    if (statement === undefined) {
      statement = prepareQuery(db, where);
      prepared.set(where, statement);
    }
    return statement.all(...values, wanted.limit);
  };
}

function prepareQuery(db: Db, where: string) {
  const condition = where === "" ? "" : `WHERE ${where} `;
  return db
    .prepare<(string | number)[], EventRow>(`SELECT ${COLUMNS} FROM events ${condition}ORDER BY seq DESC LIMIT ?`)
    .raw();
}

function eventOf(row: EventRow): MirrorEvent {
  const [run, at, kind, side, id, path, detail, outcome, code, requestId, before, after, from, base, theirs] = row;
  const merged = base === null || theirs === null ? null : { base, theirs };
  return { run, at, kind, side, id, path, detail, outcome, code, requestId, before, after, from, merged };
}

export function openRuns(db: Db) {
  const insert = once(() => db.prepare<[string, number]>("INSERT INTO runs (kind, started_at) VALUES (?, ?)"));
  const end = once(() =>
    db.prepare<[number, string, number]>("UPDATE runs SET ended_at = ?, summary = ? WHERE run = ?"),
  );
  const newest = db.prepare<[number], RunRow>(
    "SELECT run, kind, started_at AS startedAt, ended_at AS endedAt, summary FROM runs ORDER BY run DESC LIMIT ?",
  );
  return {
    begin(kind: string, at: number): number {
      return Number(insert().run(kind, at).lastInsertRowid);
    },
    end(run: number, at: number, summary: string): void {
      end().run(at, summary, run);
    },
    newest(limit: number): RunRow[] {
      return newest.all(limit);
    },
  };
}

export function openMeta(db: Db) {
  const get = once(() => db.prepare<[string], string>("SELECT value FROM meta WHERE key = ?").pluck());
  const set = once(() =>
    db.prepare<[string, string]>(
      "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE value <> excluded.value",
    ),
  );
  const remove = once(() => db.prepare<[string]>("DELETE FROM meta WHERE key = ?"));
  const all = db.prepare<[], [key: string, value: string]>("SELECT key, value FROM meta").raw();
  return {
    all: (): [key: string, value: string][] => all.all(),
    get: (key: string): string | null => get().get(key) ?? null,
    set(key: string, value: string | null): void {
      if (value === null) remove().run(key);
      else set().run(key, value);
    },
  };
}
