import type { AdminSession } from "../../service/admin/session.ts";
import { shownName, shownWords } from "../../common/shown-name.ts";
import type { Args, Io } from "../command.ts";
import { ok, type Result, trouble } from "../../common/trouble.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { columns, jsonLine } from "../text.ts";
import { count, plural } from "../../common/count.ts";
import { askForYes } from "../use-mirror.ts";
import { type Action, type Actions, printDone } from "./action.ts";
import { showNewKey, withKeyFile } from "./made-key.ts";
import { findWorkspace, listWorkspaces } from "../../service/admin/look.ts";

const list: Action = {
  takes: null,
  options: [],
  async run(io, args, session) {
    const all = await listWorkspaces(session);
    if (all.kind === "trouble") return all;
    if (args.flag("json")) io.out(jsonLine({ workspaces: all.value }));
    else if (all.value.length === 0) io.out("there is no workspace; next: mdmirror serve admin workspaces create NAME");
    else {
      const rows = all.value.map(({ id, name, state, documents, inReview }) => {
        return [
          shownName(name),
          shownWords(state),
          plural(documents, "document"),
          `${count(inReview)} in review`,
          shownName(id),
        ];
      });
      for (const line of columns(rows)) io.out(line);
    }
    return ok(EXIT.inSync);
  },
};

const create: Action = {
  takes: "NAME",
  options: ["out"],
  async run(io, args, session, name) {
    const all = await listWorkspaces(session);
    if (all.kind === "trouble") return all;
    if (all.value.some((one) => one.name === name)) {
      return trouble("usage", `the workspace ${shownName(name)} already exists`, "give another name");
    }
    const made = await withKeyFile(io, args, () => session.ask("createWorkspace", { body: { name } }));
    if (made.kind === "trouble") return made;
    const { workspaceId, id } = made.value.key;
    showNewKey(
      io,
      args,
      made.value,
      `created the workspace ${shownName(name)} (${workspaceId}) and a key with full access (${id})`,
    );
    return ok(EXIT.inSync);
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
    async run(io, args, session, word) {
      const found = await findWorkspace(session, word);
      if (found.kind === "trouble") return found;
      const changed = await session.ask("setState", { id: found.value.id, body: { state: STATES[verb].state } });
      if (changed.kind === "trouble") return changed;
      return printDone(
        io,
        args,
        { workspace: changed.value },
        `${shownName(changed.value.name)} ${STATES[verb].words}`,
      );
    },
  };
}

const remove: Action = {
  takes: "ID|NAME",
  options: ["yes"],
  run: removeAsked,
};

async function removeAsked(io: Io, args: Args, session: AdminSession, word: string): Promise<Result<ExitCode>> {
  const found = await findWorkspace(session, word);
  if (found.kind === "trouble") return found;
  const { id, name, documents } = found.value;
  const all = `${shownName(name)} with ${plural(documents, "document")} and all their history`;
  if (!(await askForYes(io, args.flag("yes"), `remove ${all}, for good?`))) {
    io.err(`mdmirror: nothing was removed, because this would remove ${all}`);
    io.err("  next: to remove it, repeat the command with --yes");
    return ok(EXIT.usage);
  }
  const removed = await session.ask("removeWorkspace", { id });
  if (removed.kind === "trouble") return removed;
  return printDone(io, args, { removed: found.value }, `removed ${all}; its keys no longer work`);
}

export const actions: Actions = { list, create, close: stateAction("close"), open: stateAction("open"), remove };
