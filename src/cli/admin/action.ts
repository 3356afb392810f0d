import type { AdminSession } from "../../service/admin/session.ts";
import { ok, type Result } from "../../common/trouble.ts";
import type { Args, Io, OptionSpec } from "../command.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { jsonLine } from "../json-line.ts";
import { listWorkspaces, workspaceNamed } from "../../service/admin/look.ts";

/** One thing that an administrator can do with keys, reviews or workspaces. */
export type Action = {
  /** What follows it on the command line: `ID|LABEL`; null: nothing. */
  readonly takes: string | null;
  /** The options that it has besides those of every action. */
  readonly options: readonly string[];
  /** @returns why the command line is wrong; asked before anything is opened */
  readonly misused?: (args: Args, io: Io) => string | null;
  /** @param word what follows it; empty where it takes nothing */
  run(io: Io, args: Args, session: AdminSession, word: string): Promise<Result<ExitCode>>;
};

/** By their verbs; `list` is what is done without one. */
export type Actions = Readonly<Record<string, Action>>;

/** How the service is reached. */
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

/** Ends an action that did what it was asked for: with one JSON object, or a line. */
export function printDone(io: Io, args: Args, json: object, line: string): Result<ExitCode> {
  io.out(args.flag("json") ? jsonLine(json) : line);
  return ok(EXIT.inSync);
}

type Workspaces = {
  /** The one of `--workspace`; null: all. */
  readonly only: string | null;
  /** By id. */
  readonly names: ReadonlyMap<string, string>;
};

/** The workspaces that a list is about. */
export async function askedWorkspaces(session: AdminSession, args: Args): Promise<Result<Workspaces>> {
  const all = await listWorkspaces(session);
  if (all.kind === "trouble") return all;
  const word = args.text("workspace");
  const only = word === null ? ok(null) : workspaceNamed(all.value, word);
  if (only.kind === "trouble") return only;
  return ok({ only: only.value?.id ?? null, names: new Map(all.value.map(({ id, name }) => [id, name])) });
}
