import { resolve } from "node:path";
import { type Result, unwrap } from "../../common/trouble.ts";
import { shownName } from "../../common/shown-name.ts";
import { openKeyFile } from "../../service/admin/files.ts";
import { listWorkspaces, workspaceNamed } from "../../service/admin/look.ts";
import type { MadeKey } from "../../service/admin/operations.ts";
import type { AdminSession } from "../../service/admin/session.ts";
import type { Args, Io } from "../command.ts";
import type { CommandResult } from "../show-result.ts";

/** One action of an administrator on keys, reviews or workspaces. */
export type Action = {
  /**
   * Operand after the action on the command line, such as `ID|LABEL`; null if the action has none.
   */
  readonly takes: string | null;
  /** Options of this action, in addition to those of every action. */
  readonly options: readonly string[];
  /**
   * Checks the command line before anything is opened.
   * @throws UsageError
   */
  readonly check?: (args: Args, io: Io) => void;
  /**
   * Carries out the action.
   * @param word operand after the action; empty if the action has none
   */
  run(io: Io, args: Args, session: AdminSession, word: string): Promise<CommandResult>;
};

/** Actions by their verbs; `list` is the default. */
export type Actions = Readonly<Record<string, Action>>;

type Workspaces = {
  /** Workspace of `--workspace`; null for all. */
  readonly only: string | null;
  /** Names of workspaces, by id. */
  readonly names: ReadonlyMap<string, string>;
};

/** Returns the workspaces that a list shows. */
export async function wantedWorkspaces(session: AdminSession, args: Args): Promise<Workspaces> {
  const all = unwrap(await listWorkspaces(session));
  const word = args.text("workspace");
  const only = word === null ? null : unwrap(workspaceNamed(all, word)).id;
  return { only, names: new Map(all.map(({ id, name }) => [id, name])) };
}

/**
 * Creates a key, and stores its secret in the new file of `--out`, if the option is set. Otherwise
 * the secret is shown only now.
 * @param describe returns the line about the key
 */
export async function createKey(
  io: Io,
  args: Args,
  make: () => Promise<Result<MadeKey>>,
  describe: (key: MadeKey["key"]) => string,
): Promise<CommandResult & Pick<MadeKey, "key">> {
  const out = args.text("out");
  const file = out === null ? null : resolve(io.cwd, out);
  const opened = file === null ? null : unwrap(openKeyFile(file));
  const made = make().then(unwrap);
  const { key, text } = await made.catch((error: unknown) => {
    opened?.discard();
    throw error;
  });
  opened?.keep(text);
  const secret =
    file === null ? `the key, shown only now: ${text}` : `the key is in ${shownName(file)}, readable by this user only`;
  return { key, json: { key, ...(file === null ? { text } : { file }) }, lines: [describe(key), secret] };
}
