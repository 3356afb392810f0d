import { nameTrouble } from "../mirror/trust/list.ts";
import { isMirrorName, NAME_RULE } from "../mirror/trust/names.ts";
import type { Io } from "./command.ts";
import { complain, misuse } from "./complain.ts";
import type { ExitCode } from "./exit.ts";

/** Checks the value of `--name`. Returns null if a linked folder may have that name. */
export function judgeName(io: Io, command: string, name: string | null, root: string): ExitCode | null {
  if (name === null) return null;
  if (!isMirrorName(name)) return misuse(io, command, `--name takes ${NAME_RULE}`);
  const trouble = nameTrouble(io.env, name, root);
  return trouble === null ? null : complain(io, trouble);
}
