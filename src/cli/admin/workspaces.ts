import type { AdminSession } from "../../service/admin/session.ts";
import { shownName, shownWords } from "../../common/shown-name.ts";
import type { Args, Io } from "../command.ts";
import { unwrap } from "../../common/trouble.ts";
import { refuse } from "../exit.ts";
import { columns } from "../text.ts";
import { count, plural } from "../../common/count.ts";
import { askForYes } from "../use-mirror.ts";
import type { CommandResult } from "../show-result.ts";
import { type Action, type Actions, createKey } from "./action.ts";
import { findWorkspace, listWorkspaces } from "../../service/admin/look.ts";

const list: Action = {
  takes: null,
  options: [],
  async run(_io, _args, session) {
    const all = unwrap(await listWorkspaces(session));
    const rows = all.map(({ id, name, state, documents, inReview }) => {
      const counts = [plural(documents, "document"), `${count(inReview)} in review`];
      return [shownName(name), shownWords(state), ...counts, shownName(id)];
    });
    const none = "there is no workspace; next: mdmirror serve admin workspaces create NAME";
    return { json: { workspaces: all }, lines: rows.length === 0 ? [none] : columns(rows) };
  },
};

const create: Action = {
  takes: "NAME",
  options: ["out"],
  async run(io, args, session, name) {
    const all = unwrap(await listWorkspaces(session));
    if (all.some((one) => one.name === name))
      return refuse(`the workspace ${shownName(name)} already exists`, "give another name");
    const make = () => session.ask("createWorkspace", { body: { name } });
    return createKey(io, args, make, ({ workspaceId, id }) => {
      return `created the workspace ${shownName(name)} (${workspaceId}) and a key with full access (${id})`;
    });
  },
};

const STATES = {
  open: { state: "open", words: "is open: its keys work" },
  close: { state: "closed", words: "is closed: it answers its keys with an error until you open it" },
} as const;

function stateAction(verb: keyof typeof STATES): Action {
  return {
    takes: "ID|NAME",
    options: [],
    async run(_io, _args, session, word) {
      const { id } = unwrap(await findWorkspace(session, word));
      const workspace = unwrap(await session.ask("setState", { id, body: { state: STATES[verb].state } }));
      return { json: { workspace }, lines: [`${shownName(workspace.name)} ${STATES[verb].words}`] };
    },
  };
}

const remove: Action = {
  takes: "ID|NAME",
  options: ["yes"],
  run: removeAfterQuestion,
};

async function removeAfterQuestion(io: Io, args: Args, session: AdminSession, word: string): Promise<CommandResult> {
  const found = unwrap(await findWorkspace(session, word));
  const { id, name, documents } = found;
  const all = `${shownName(name)} with ${plural(documents, "document")} and all their history`;
  if (!(await askForYes(io, args.flag("yes"), `remove ${all}, for good?`))) {
    const next = "to remove it, repeat the command with --yes";
    return refuse(`nothing was removed, because this would remove ${all}`, next);
  }
  unwrap(await session.ask("removeWorkspace", { id }));
  return { json: { removed: found }, lines: [`removed ${all}; its keys no longer work`] };
}

export const actions: Actions = { list, create, close: stateAction("close"), open: stateAction("open"), remove };
