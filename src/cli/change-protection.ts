import { setProtection } from "../app/by-hand/protect.ts";
import type { Args, Io } from "./command.ts";
import { complain } from "./complain.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { locate } from "./find-mirror.ts";
import { shownName } from "../model/shown-name.ts";
import { useMirror } from "./use-mirror.ts";

/** `protect` and `unprotect`. Nothing is written here: the state is only read. */
export async function changeProtection(io: Io, args: Args, value: boolean): Promise<ExitCode> {
  const place = locate(io, args.operands[0]!);
  if (place.kind === "trouble") return complain(io, place.trouble);
  const { root, path } = place.value;
  const use = { mode: "read", what: "protect", keyFile: args.text("key-file") } as const;
  return useMirror(io, root, use, async (mirror) => {
    const changed = await setProtection(mirror, path, value);
    if (changed.kind === "trouble") return complain(io, changed.trouble);
    io.out(
      value
        ? `${shownName(path)} is protected: changes go to review`
        : `${shownName(path)} is not protected: changes go live`,
    );
    return EXIT.inSync;
  });
}
