import type { GrantRow, Holder, KeyRow, WorkspaceRow } from "../rows.ts";
import { sql } from "./session.ts";
import { KEY_COLUMNS } from "./keys-table.ts";
import { readSettings } from "./settings-table.ts";
import { WORKSPACE_COLUMNS } from "./workspaces-table.ts";

/** In one look, because every request begins with it, and nothing of it is remembered. */
export const HOLDER = sql<HolderRow>(
  "holder",
  `SELECT (SELECT row_to_json(key) FROM (SELECT ${KEY_COLUMNS}) AS key) AS key,
     (SELECT row_to_json(workspace) FROM (SELECT ${WORKSPACE_COLUMNS} WHERE w.seq IS NOT NULL) AS workspace) AS workspace,
     (SELECT json_agg(grants_of_it) FROM (
        SELECT kind, target, level FROM grants g WHERE g.key = k.seq ORDER BY kind DESC, target
      ) AS grants_of_it) AS grants,
     (SELECT convert_from(value, 'UTF8') FROM meta WHERE name = 'settings') AS settings,
     (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS at
   FROM keys k LEFT JOIN workspaces w ON w.id = k.workspace_id WHERE k.hash = $1`,
);

type HolderRow = {
  readonly key: KeyRow;
  readonly workspace: WorkspaceRow | null;
  readonly grants: readonly GrantRow[] | null;
  readonly settings: string | null;
  readonly at: number;
};

export function holderOf({ key, workspace, grants, settings, at }: HolderRow): Holder {
  return {
    key,
    workspace: workspace ?? undefined,
    grants: grants ?? [],
    settings: readSettings(settings ?? undefined),
    at,
  };
}
