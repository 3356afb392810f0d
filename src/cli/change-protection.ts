import { openMirror } from "../app/mirror/open-mirror.ts";
import { setProtection } from "../app/by-hand/protect.ts";
import type { Args, Io } from "./command.ts";
import { complain } from "./complain.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { locate } from "./find-mirror.ts";
import { shownName, shownWords } from "../model/shown-name.ts";

/** `protect` and `unprotect`. Nothing is written here: the state is only read. */
export async function changeProtection(io: Io, args: Args, value: boolean): Promise<ExitCode> {
  const place = locate(io, args.operands[0]!);
  if (place.kind === "trouble") return complain(io, place.trouble);
  const { root, path } = place.value;
  const { env, cwd, clock, random } = io;
  const keyFile = args.text("key-file");
  const mirror = await openMirror(root, { mode: "read", what: "protect", env, cwd, clock, random, keyFile });
  if (mirror.kind === "trouble") return complain(io, mirror.trouble);
  try {
    for (const note of mirror.value.notes) io.err(`mdmirror: ${shownWords(note)}`);
    const changed = await setProtection(mirror.value, path, value);
    if (changed.kind === "trouble") return complain(io, changed.trouble);
    io.out(
      value
        ? `${shownName(path)} is protected: changes go to review`
        : `${shownName(path)} is not protected: changes go live`,
    );
    return EXIT.inSync;
  } finally {
    await mirror.value.close();
  }
}
