import type { AdminSession } from "../../service/admin/session.ts";
import { ok, type Result } from "../../common/trouble.ts";
import type { Args, Io, OptionSpec } from "../command.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { jsonLine } from "../text.ts";
import { listWorkspaces, workspaceNamed } from "../../service/admin/look.ts";

/** One action of an administrator on keys, reviews or workspaces. */
export type Action = {
  /**
   * Operand after the action on the command line, such as `ID|LABEL`; null if the action takes
   * none.
   */
  readonly takes: string | null;
  /** Options of this action, in addition to those of every action. */
  readonly options: readonly string[];
  /**
   * Checks the command line before anything is opened.
   * @returns the fault as a clause; null if there is none
   */
  readonly misused?: (args: Args, io: Io) => string | null;
  /**
   * Carries out the action.
   * @param word operand after the action; empty if the action takes none
   */
  run(io: Io, args: Args, session: AdminSession, word: string): Promise<Result<ExitCode>>;
};

/** Actions by their verbs; `list` is the default. */
export type Actions = Readonly<Record<string, Action>>;

/** Options that say how to reach the service. */
export const REACH: Readonly<Record<string, OptionSpec>> = {
  data: { value: "DIR", help: "data folder of the service on this machine (default: .mdmirror-service)" },
  url: { value: "URL", help: "URL of a service on another machine" },
  "admin-key-file": { value: "FILE", help: "file with its administrator's key, a copy of the one in its data folder" },
  "allow-http": {
    value: "HOST",
    multiple: true,
    help: "allow plain http to HOST; others on the network can then read the key",
  },
};

/** Prints the result of an action that succeeded: one JSON object, or a line. */
export function printDone(io: Io, args: Args, json: object, line: string): Result<ExitCode> {
  io.out(args.flag("json") ? jsonLine(json) : line);
  return ok(EXIT.inSync);
}

type Workspaces = {
  /** Workspace of `--workspace`; null for all. */
  readonly only: string | null;
  /** Names of workspaces, by id. */
  readonly names: ReadonlyMap<string, string>;
};

/** Returns the workspaces that a list shows. */
export async function askedWorkspaces(session: AdminSession, args: Args): Promise<Result<Workspaces>> {
  const all = await listWorkspaces(session);
  if (all.kind === "trouble") return all;
  const word = args.text("workspace");
  const only = word === null ? ok(null) : workspaceNamed(all.value, word);
  if (only.kind === "trouble") return only;
  return ok({ only: only.value?.id ?? null, names: new Map(all.value.map(({ id, name }) => [id, name])) });
}
