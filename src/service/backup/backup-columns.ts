/** Tables of a backup; each refers only to those before it. */

/** Type of a column in PostgreSQL, if it differs from SQLite's. */
type ColumnType = "bigint" | "integer" | "smallint" | "text" | "bytea" | "boolean";

export type BackupTable = {
  readonly name: string;
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** True if `seq` grows, and is never used again. */
  readonly isNumbered: boolean;
  /** Condition in SQLite's SQL for rows to keep; other rows have lost their owner. */
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

/**
 * Rows of `meta` that a backup has. The admin key is not among them: it belongs to the data folder.
 */
export const BACKUP_META: readonly string[] = ["cursor-secret", "settings"];
