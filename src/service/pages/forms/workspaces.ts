import { isRefused } from "../../requests/answer.ts";
import { APP, KEYS, withQuery, workspaceAddress } from "../addresses.ts";
import { go, type PageResult, refusedForm } from "../answer.ts";
import type { PageCall } from "../call.ts";
import { workspacesOf } from "../workspaces.ts";

const MOST_NAME = 200;

export async function createWorkspace({ core, form, csrf, once }: PageCall): Promise<PageResult> {
  const name = (form.get("name") ?? "").trim();
  if (name === "" || name.length > MOST_NAME) return go(APP, `a name has 1 to ${MOST_NAME} characters`, "bad");
  const known = await workspacesOf(core);
  if (known.some((one) => one.name === name)) return go(APP, "there is a workspace with this name already", "bad");
  const made = await core.admin.createWorkspace(name);
  const shown = once.keep(csrf, { label: `${made.label} of ${name}`, text: made.key });
  return go(withQuery(`${KEYS}/made`, { shown }), "The workspace was created, with a key that has full access.");
}

const STATES = {
  open: "It is open: its keys work.",
  closed: "It is closed: it answers its keys with an error until you open it.",
};

export async function setState({ core, params, form }: PageCall): Promise<PageResult> {
  const state = (["open", "closed"] as const).find((one) => one === form.get("state"));
  if (state === undefined) return go(APP, "a workspace is open or closed", "bad");
  const changed = await core.admin.setWorkspaceState(params[0]!, state);
  return isRefused(changed) ? refusedForm(APP, changed) : go(APP, STATES[state]);
}

export async function removeWorkspace({ core, params, form }: PageCall): Promise<PageResult> {
  const [id = ""] = params;
  const workspace = (await workspacesOf(core)).find((one) => one.id === id);
  if (workspace !== undefined && form.get("name") !== workspace.name) {
    return go(`${workspaceAddress(id)}/remove`, "this is not its name; nothing was removed", "bad");
  }
  const refused = await core.admin.removeWorkspace(id);
  return refused === null ? go(APP, "The workspace is removed.") : refusedForm(APP, refused);
}
