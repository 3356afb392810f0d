/** Tables of a backup; each refers only to those before it. */

export type BackupTable = {
  readonly name: string;
  readonly columns: readonly string[];
  /** True if `seq` grows, and is never used again. */
  readonly isNumbered: boolean;
  /** Condition in SQLite's SQL for rows to keep; other rows have lost their owner. */
  readonly belongs?: string;
};

export const BACKUP_TABLES: readonly BackupTable[] = [
  {
    name: "workspaces",
    columns: ["seq", "id", "name", "state", "retry_after", "first_ids"],
    isNumbered: true,
  },
  {
    name: "folders",
    columns: ["seq", "id", "workspace", "parent", "name", "path"],
    isNumbered: true,
    belongs: "workspace IN (SELECT seq FROM workspaces)",
  },
  {
    name: "files",
    columns: ["seq", "id", "workspace", "folder", "name", "protected", "change_id"],
    isNumbered: true,
    belongs: "workspace IN (SELECT seq FROM workspaces)",
  },
  {
    name: "changes",
    columns: ["seq", "id", "file", "base_id", "status", "reason", "codec", "text", "at"],
    isNumbered: true,
    belongs: "file IN (SELECT seq FROM files)",
  },
  {
    name: "keys",
    columns: [
      ...["seq", "id", "workspace_id", "hash", "label", "rate_requests", "rate_seconds"],
      ...["expires_at", "at", "last_used_at"],
    ],
    isNumbered: true,
  },
  {
    name: "grants",
    columns: ["key", "kind", "target", "level"],
    isNumbered: false,
    belongs: "key IN (SELECT seq FROM keys)",
  },
  {
    name: "kept_grants",
    columns: ["key", "workspace", "path", "level"],
    isNumbered: false,
    belongs: "key IN (SELECT seq FROM keys) AND workspace IN (SELECT seq FROM workspaces)",
  },
];

/**
 * Rows of `meta` that a backup has. The admin key is not among them: it belongs to the data folder.
 */
export const BACKUP_META: readonly string[] = ["cursor-secret", "settings"];
