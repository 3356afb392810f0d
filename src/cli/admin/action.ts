import type { AdminSession } from "../../app/admin/session.ts";
import type { Args, Io, OptionSpec } from "../command.ts";
import type { ExitCode } from "../exit.ts";

/** One thing that an administrator can do with keys, reviews or workspaces. */
export type Action = {
  /** What follows it on the command line: `ID|LABEL`; null: nothing. */
  readonly takes: string | null;
  /** The options that it has besides those of every action. */
  readonly options: readonly string[];
  /** @returns why the command line is wrong; asked before anything is opened */
  readonly misused?: (args: Args, io: Io) => string | null;
  /** @param word what follows it; empty where it takes nothing */
  run(io: Io, args: Args, session: AdminSession, word: string): Promise<ExitCode>;
};

/** By their verbs; `list` is what is done without one. */
export type Actions = Readonly<Record<string, Action>>;

/** How the service is reached. */
export const REACH: Readonly<Record<string, OptionSpec>> = {
  data: { value: "DIR", help: "the data folder of the service on this machine (.mdmirror-service)" },
  url: { value: "URL", help: "a service on another machine" },
  "admin-key-file": { value: "FILE", help: "its admin key, as it lies in its data folder" },
  "allow-http": {
    value: "HOST",
    multiple: true,
    help: "use plain http to this host, which shows the key to the network",
  },
};
