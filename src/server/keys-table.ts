import type { Grant } from "../contract/resources.ts";
import type { Db } from "./database.ts";

export type KeyRow = {
  readonly seq: number;
  readonly id: string;
  readonly workspaceId: string;
  readonly label: string;
  readonly rateRequests: number | null;
  readonly rateSeconds: number | null;
  /** Milliseconds since the epoch; null: it does not expire. */
  readonly expiresAt: number | null;
  /** When it was made, in milliseconds since the epoch. */
  readonly at: number;
  /** As it was saved last (`lastUsed` is newer), in milliseconds since the epoch. */
  readonly lastUsedAt: number | null;
};

/** What of a key can be changed, but for its grants. */
export type KeyMembers = Pick<KeyRow, "label" | "rateRequests" | "rateSeconds" | "expiresAt">;

/** `none` revokes, in a subtree, what a grant further up gives. */
export type Level = Grant | "none";
export type GrantRow = { readonly kind: "root" | "folder" | "file"; readonly target: number; readonly level: Level };

type NewKey = Omit<KeyRow, "seq" | "lastUsedAt"> & {
  /** SHA-256 of the key; the key itself is never stored. */
  readonly hash: Buffer;
};

const SELECT = `
SELECT seq, id, workspace_id AS workspaceId, label, rate_requests AS rateRequests, rate_seconds AS rateSeconds,
  expires_at AS expiresAt, at, last_used_at AS lastUsedAt
FROM keys`;

/** Table `keys`, and the grants of each key in table `grants`. */
export class KeysTable {
  readonly #sql: ReturnType<typeof prepare>;
  /** Uses that are not saved yet, by row number: a write would cost more than a request. */
  readonly #used = new Map<number, number>();

  constructor(db: Db) {
    this.#sql = prepare(db);
  }

  byHash(hash: Buffer): KeyRow | undefined {
    return this.#sql.byHash.get(hash);
  }

  byId(id: string): KeyRow | undefined {
    return this.#sql.byId.get(id);
  }

  all(): KeyRow[] {
    return this.#sql.all.all();
  }

  /** @returns its row number */
  insert(key: NewKey): number {
    return Number(this.#sql.insert.run(key).lastInsertRowid);
  }

  change(key: number, members: KeyMembers): void {
    this.#sql.change.run({ ...members, key });
  }

  /** Remembers that a key was used. @param at milliseconds since the epoch */
  noteUse(key: number, at: number): void {
    this.#used.set(key, at);
  }

  /** @returns milliseconds since the epoch; null: never */
  lastUsed({ seq, lastUsedAt }: KeyRow): number | null {
    return this.#used.get(seq) ?? lastUsedAt;
  }

  hasUnsavedUses(): boolean {
    return this.#used.size > 0;
  }

  /** To be called in a transaction; once that is kept, `forgetUses`. */
  saveUses(): void {
    for (const [key, at] of this.#used) this.#sql.saveUse.run(at, key);
  }

  forgetUses(): void {
    this.#used.clear();
  }

  /** Removes a key, its grants, and those kept for it. */
  remove(seq: number): void {
    this.#dropGrants(seq);
    this.#sql.remove.run(seq);
    this.#used.delete(seq);
  }

  grants(key: number): GrantRow[] {
    return this.#sql.grants.all(key);
  }

  /** Replaces the grants of a key, and drops those kept for it. */
  setGrants(key: number, rows: readonly GrantRow[]): void {
    this.#dropGrants(key);
    for (const row of rows) this.#sql.insertGrant.run(key, row.kind, row.target, row.level);
  }

  #dropGrants(key: number): void {
    this.#sql.dropGrants.run(key);
    this.#sql.dropKept.run(key);
  }
}

function prepare(db: Db) {
  return {
    byHash: db.prepare<[Buffer], KeyRow>(`${SELECT} WHERE hash = ?`),
    byId: db.prepare<[string], KeyRow>(`${SELECT} WHERE id = ?`),
    all: db.prepare<[], KeyRow>(`${SELECT} ORDER BY seq`),
    insert: db.prepare<[NewKey]>(
      `INSERT INTO keys (id, workspace_id, hash, label, rate_requests, rate_seconds, expires_at, at)
       VALUES (@id, @workspaceId, @hash, @label, @rateRequests, @rateSeconds, @expiresAt, @at)`,
    ),
    change: db.prepare<[KeyMembers & { key: number }]>(
      `UPDATE keys SET label = @label, rate_requests = @rateRequests, rate_seconds = @rateSeconds,
         expires_at = @expiresAt WHERE seq = @key`,
    ),
    saveUse: db.prepare<[number, number]>("UPDATE keys SET last_used_at = ? WHERE seq = ?"),
    remove: db.prepare<[number]>("DELETE FROM keys WHERE seq = ?"),
    grants: db.prepare<[number], GrantRow>(
      "SELECT kind, target, level FROM grants WHERE key = ? ORDER BY kind DESC, target",
    ),
    insertGrant: db.prepare<[number, string, number, Level]>(
      "INSERT INTO grants (key, kind, target, level) VALUES (?, ?, ?, ?)",
    ),
    dropGrants: db.prepare<[number]>("DELETE FROM grants WHERE key = ?"),
    dropKept: db.prepare<[number]>("DELETE FROM kept_grants WHERE key = ?"),
  };
}
