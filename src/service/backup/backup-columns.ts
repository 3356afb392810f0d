/** The tables of a backup, in an order in which each refers to those before it. */

/** How a column stands in PostgreSQL, where that is not how SQLite has it. */
type ColumnType = "bigint" | "integer" | "smallint" | "text" | "bytea" | "boolean";

export type BackupTable = {
  readonly name: string;
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** Its `seq` grows, and is never used again. */
  readonly isNumbered: boolean;
  /** In SQL of SQLite: what else there is belongs to nobody any more. */
  readonly belongs?: string;
};

export const BACKUP_TABLES: readonly BackupTable[] = [
  {
    name: "workspaces",
    columns: {
      seq: "bigint",
      id: "text",
      name: "text",
      state: "text",
      retry_after: "integer",
      first_ids: "boolean",
    },
    isNumbered: true,
  },
  {
    name: "folders",
    columns: { seq: "bigint", id: "text", workspace: "bigint", parent: "bigint", name: "text", path: "text" },
    isNumbered: true,
    belongs: "workspace IN (SELECT seq FROM workspaces)",
  },
  {
    name: "files",
    columns: {
      seq: "bigint",
      id: "text",
      workspace: "bigint",
      folder: "bigint",
      name: "text",
      protected: "boolean",
      change_id: "text",
    },
    isNumbered: true,
    belongs: "workspace IN (SELECT seq FROM workspaces)",
  },
  {
    name: "changes",
    columns: {
      seq: "bigint",
      id: "text",
      file: "bigint",
      base_id: "text",
      status: "text",
      reason: "text",
      codec: "smallint",
      text: "bytea",
      at: "bigint",
    },
    isNumbered: true,
    belongs: "file IN (SELECT seq FROM files)",
  },
  {
    name: "keys",
    columns: {
      seq: "bigint",
      id: "text",
      workspace_id: "text",
      hash: "bytea",
      label: "text",
      rate_requests: "integer",
      rate_seconds: "integer",
      expires_at: "bigint",
      at: "bigint",
      last_used_at: "bigint",
    },
    isNumbered: true,
  },
  {
    name: "grants",
    columns: { key: "bigint", kind: "text", target: "bigint", level: "text" },
    isNumbered: false,
    belongs: "key IN (SELECT seq FROM keys)",
  },
  {
    name: "kept_grants",
    columns: { key: "bigint", workspace: "bigint", path: "text", level: "text" },
    isNumbered: false,
    belongs: "key IN (SELECT seq FROM keys) AND workspace IN (SELECT seq FROM workspaces)",
  },
];

/** What of `meta` is the same wherever it lies. The admin key belongs to the place. */
export const BACKUP_META: readonly string[] = ["cursor-secret", "settings"];
