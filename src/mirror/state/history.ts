import type { ChangeId, DocId } from "../../contract/ids.ts";
import type { Digest } from "../../contract/digest.ts";
import type { MirrorEvent, State, Version } from "../ports/state.ts";
import { TableColumns, TableWithStatements } from "./table.ts";

type EventRow = Omit<MirrorEvent, "merged" | "remoteMove"> & {
  readonly mergeBase: Digest | null;
  readonly mergeTheirs: Digest | null;
  readonly remoteFrom: string | null;
  readonly remoteTo: string | null;
};

type EventQuery = Parameters<State["events"]>[0];
type SqlValue = string | number;

const EVENT_COLUMNS = new TableColumns<keyof EventRow>(
  [
    ...(["run", "at", "kind", "side", "id", "path", "detail", "outcome", "code", "requestId"] as const),
    ...(["before", "after", "from", "mergeBase", "mergeTheirs", "remoteFrom", "remoteTo"] as const),
  ],
  { from: "from_path" },
);

export class EventTable extends TableWithStatements {
  readonly #insert = this.sql(
    `INSERT INTO events (${EVENT_COLUMNS.names.join(", ")}) VALUES (${EVENT_COLUMNS.names.map(() => "?").join(", ")})`,
  );
  // SQL conditions for events that count as losses: a document was deleted, or became empty. The
  // values are part of the SQL, because otherwise SQLite could not use a partial index.
  readonly #losses = {
    local: [this.#countAfter("kind = 'trash-local'"), this.#countAfter("code = 'emptied' AND side <> 'remote'")],
    remote: [this.#countAfter("kind = 'delete-remote'"), this.#countAfter("code = 'emptied' AND side = 'remote'")],
  };

  record({ merged, remoteMove, ...event }: MirrorEvent): void {
    const row: EventRow = {
      ...event,
      mergeBase: merged?.base ?? null,
      mergeTheirs: merged?.theirs ?? null,
      remoteFrom: remoteMove?.from ?? null,
      remoteTo: remoteMove?.to ?? null,
    };
    this.#insert.run(...EVENT_COLUMNS.members.map((member) => row[member]));
  }

  find(wanted: EventQuery): MirrorEvent[] {
    const filters = toSqlFilters(wanted);
    const whereClause = ["TRUE", ...filters.map(([condition]) => condition)].join(" AND ");
    const values = filters.map(([, value]) => value);
    const sql = `SELECT ${EVENT_COLUMNS.selected} FROM events WHERE ${whereClause} ORDER BY seq DESC LIMIT ?`;
    const rows = this.sql<SqlValue[], EventRow>(sql).all(...values, wanted.limit);
    return rows.map(toMirrorEvent);
  }

  lossesAfter(side: "local" | "remote", run: number): number {
    return this.#losses[side].reduce((sum, count) => sum + (count.get(run) ?? 0), 0);
  }

  #countAfter(condition: string) {
    const sql = `SELECT count(*) FROM events WHERE ${condition} AND run > ? AND outcome = 'done'`;
    return this.sql<[number], number>(sql, "pluck");
  }
}

function toSqlFilters({ path, id, run, kinds, since }: EventQuery): (readonly [condition: string, value: SqlValue])[] {
  const filters: (readonly [condition: string, value: SqlValue | undefined])[] = [
    ["path = ?", path],
    ["id = ?", id],
    ["run = ?", run],
    ["kind IN (SELECT value FROM json_each(?))", kinds && JSON.stringify(kinds)],
    ["at >= ?", since],
  ];
  return filters.filter((filter): filter is readonly [string, SqlValue] => filter[1] !== undefined);
}

function toMirrorEvent({
  mergeBase: base,
  mergeTheirs: theirs,
  remoteFrom: from,
  remoteTo: to,
  ...event
}: EventRow): MirrorEvent {
  const mergedDigests = base === null || theirs === null ? null : { base, theirs };
  return { ...event, merged: mergedDigests, remoteMove: from === null || to === null ? null : { from, to } };
}

export type RunRow = ReturnType<State["runs"]>[number];

export class RunTable extends TableWithStatements {
  readonly #insert = this.sql<[string, number]>("INSERT INTO runs (kind, started_at) VALUES (?, ?)");
  readonly #end = this.sql<[number, string, number]>("UPDATE runs SET ended_at = ?, summary = ? WHERE run = ?");
  readonly #newest = this.sql<[number], RunRow>(
    "SELECT run, kind, started_at AS startedAt, ended_at AS endedAt, summary FROM runs ORDER BY run DESC LIMIT ?",
  );

  begin(kind: string, startedAt: number): number {
    return Number(this.#insert.run(kind, startedAt).lastInsertRowid);
  }

  end(run: number, endedAt: number, summary: string): void {
    this.#end.run(endedAt, summary, run);
  }

  newest(limit: number): RunRow[] {
    return this.#newest.all(limit);
  }
}

/** Versions on the service, in the order in which mdmirror saw them. */
export class VersionTable extends TableWithStatements {
  // A version that is stored again keeps its position in the order of versions.
  readonly #insert = this.sql(
    "INSERT INTO versions (id, change_id, digest, at) VALUES (?, ?, ?, ?) " +
      "ON CONFLICT (id, change_id) DO UPDATE SET digest = excluded.digest WHERE digest <> excluded.digest",
  );
  readonly #byId = this.sql<[DocId], Version>(
    "SELECT id, change_id AS changeId, digest, at FROM versions WHERE id = ? ORDER BY seq DESC",
  );
  readonly #arrival = this.sql<[DocId, ChangeId], number>(
    "SELECT seq FROM versions WHERE id = ? AND change_id = ?",
    "pluck",
  );

  add(version: Version): void {
    this.#insert.run(version.id, version.changeId, version.digest, version.at);
  }

  ofDocument(id: DocId): Version[] {
    return this.#byId.all(id);
  }

  isEarlier(id: DocId, changeId: ChangeId, other: ChangeId): boolean {
    const [firstPosition, secondPosition] = [this.#arrival.get(id, changeId), this.#arrival.get(id, other)];
    return firstPosition !== undefined && secondPosition !== undefined && firstPosition < secondPosition;
  }
}
