import type { Db } from "./database.ts";
import type { GrantRow, KeyRow, KeysTable } from "./keys-table.ts";
import type { WorkspaceRow, WorkspacesTable } from "./workspaces-table.ts";

/** A key, its workspace, and what it may see there. */
type Holder = {
  readonly key: KeyRow;
  readonly workspace: WorkspaceRow | undefined;
  readonly grants: readonly GrantRow[];
};

/**
 * Finds whose a key is. Every request begins with these three reads, which took a tenth of its
 * time. The result is kept until something is written, as most requests only read.
 */
export class Holders {
  readonly #db: Db;
  readonly #keys: KeysTable;
  readonly #workspaces: WorkspacesTable;
  readonly #known = new Map<string, Holder>();
  #asOf = -1;

  constructor(db: Db, keys: KeysTable, workspaces: WorkspacesTable) {
    this.#db = db;
    this.#keys = keys;
    this.#workspaces = workspaces;
  }

  /** @param hash SHA-256 of the key. @returns undefined for a key that is unknown or was revoked */
  byHash(hash: Buffer): Holder | undefined {
    if (this.#asOf !== this.#db.runs) this.#known.clear();
    this.#asOf = this.#db.runs;
    const name = hash.toString("latin1");
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const key = this.#keys.byHash(hash);
    if (key === undefined) return undefined;
    const workspace = this.#workspaces.byId(key.workspaceId);
    const holder = { key, workspace, grants: this.#keys.grants(key.seq) };
    this.#known.set(name, holder);
    return holder;
  }
}
