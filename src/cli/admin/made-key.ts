import { resolve } from "node:path";
import type { MadeKey } from "../../service/admin/operations.ts";
import type { Result } from "../../common/trouble.ts";
import { shownName } from "../../common/shown-name.ts";
import type { Args, Io } from "../command.ts";
import { jsonLine } from "../text.ts";
import { openKeyFile } from "../../service/admin/files.ts";

/** Creates a key, and stores its secret in the new file of `--out`, if the option is given. */
export async function withKeyFile(io: Io, args: Args, make: () => Promise<Result<MadeKey>>): Promise<Result<MadeKey>> {
  const out = args.text("out");
  if (out === null) return make();
  const file = openKeyFile(resolve(io.cwd, out));
  if (file.kind === "trouble") return file;
  const made = await make().catch((error: unknown) => {
    file.value.discard();
    throw error;
  });
  if (made.kind === "ok") file.value.keep(made.value.text);
  else file.value.discard();
  return made;
}

/** Shows a new key. Its secret is shown only now, unless the secret is in a file. */
export function showNewKey(io: Io, args: Args, { key, text }: MadeKey, told: string): void {
  const out = args.text("out");
  const file = out === null ? null : resolve(io.cwd, out);
  if (args.flag("json")) {
    io.out(jsonLine({ key, ...(file === null ? { text } : { file }) }));
    return;
  }
  io.out(told);
  io.out(
    file === null ? `the key, shown only now: ${text}` : `the key is in ${shownName(file)}, readable by this user only`,
  );
}
