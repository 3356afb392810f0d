import type { Command } from "../command.ts";
import { complain } from "../complain.ts";
import { EXIT } from "../exit.ts";
import { locateDocument } from "../locate-document.ts";
import { REACH_OPTIONS, syncAfter, useMirror } from "../use-mirror.ts";

export const command: Command = {
  usage: "restore PATH[@N] | ID[@N] [--no-sync] [--json]",
  about: [
    "Puts an earlier text back, as an edit that goes to the service like any other; without @N the text before the one that is there.",
    "A deleted document comes back as a new one: its id and its history on the service cannot be had again.",
    "The text that gives way stays in the history and in .mdmirror/trash.",
  ],
  options: {
    "no-sync": { help: "only change this folder; the next sync sends it" },
    json: { help: "one JSON object" },
    ...REACH_OPTIONS,
  },
  operands: { least: 1, most: 1 },
  async run(io, args) {
    const { splitVersion } = await import("../../app/history.ts");
    const wanted = splitVersion(args.operands[0]!);
    const place = locateDocument(io, wanted.path);
    if (place.kind === "trouble") return complain(io, place.trouble);
    const { root, name } = place.value;
    const json = args.flag("json");
    const { restoreVersion } = await import("../../app/restore.ts");
    return useMirror(io, args, root, { mode: "write", what: "restore", quiet: json }, async (mirror) => {
      const restored = await restoreVersion(mirror.world, name, wanted.n);
      if (restored.kind === "trouble") return complain(io, restored.trouble);
      const { path, entry, anew, notes } = restored.value;
      if (!json) {
        io.out(`${path}: version ${entry.n} is back`);
        for (const note of notes) io.out(`  ${note}`);
      }
      const sync = args.flag("no-sync") ? null : await syncAfter(io, mirror, json);
      if (json) io.out(JSON.stringify({ path, version: entry.n, anew, notes, sync: sync?.report ?? null }));
      return sync?.exit ?? EXIT.inSync;
    });
  },
};
