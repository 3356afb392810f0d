import type { Holder } from "../rows.ts";
import type { Db } from "./database.ts";
import type { GrantsTable } from "./grants-table.ts";
import type { KeysTable } from "./keys-table.ts";
import type { StoredSettings } from "./settings-table.ts";
import type { WorkspacesTable } from "./workspaces-table.ts";

type Parts = {
  readonly keys: KeysTable;
  readonly grants: GrantsTable;
  readonly workspaces: WorkspacesTable;
  readonly settings: StoredSettings;
};

/**
 * Finds whose a key is. Every request begins with these four reads, which took a tenth of its time.
 * The result is kept until something of keys is written.
 */
export class Holders {
  readonly #db: Db;
  readonly #parts: Parts;
  readonly #known = new Map<string, Holder>();
  #asOf = -1;

  constructor(db: Db, parts: Parts) {
    this.#db = db;
    this.#parts = parts;
  }

  /** @param hash SHA-256 of the key. @returns undefined for a key that is unknown or was revoked */
  byHash(hash: Buffer): Holder | undefined {
    if (this.#asOf !== this.#db.writes.keys) this.#known.clear();
    this.#asOf = this.#db.writes.keys;
    const name = hash.toString("latin1");
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const { keys, grants, workspaces, settings } = this.#parts;
    const key = keys.byHash(hash);
    if (key === undefined) return undefined;
    const workspace = workspaces.find(key.workspaceId);
    const holder = { key, workspace, grants: grants.ofKey(key.seq), settings: settings.now() };
    this.#known.set(name, holder);
    return holder;
  }
}
