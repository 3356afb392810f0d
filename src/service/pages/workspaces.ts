import type { Core } from "../requests/dispatch.ts";
import type { WorkspaceRow } from "../store/rows.ts";

/** Returns all workspaces of the service, for an administrator. */
export function workspacesOf({ server }: Core): Promise<WorkspaceRow[]> {
  return server.store.read((tables) => tables.workspaces.all());
}

/** Returns the names of workspaces by id. */
export async function workspaceNames(core: Core): Promise<ReadonlyMap<string, string>> {
  return new Map((await workspacesOf(core)).map(({ id, name }) => [id, name]));
}
