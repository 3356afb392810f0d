import type { ProtectItem } from "../mirror/operations/manual/protect.ts";
import type { OpenedMirror } from "../mirror/folder/open-mirror.ts";
import { count } from "../common/count.ts";
import { shownName } from "../common/shown-name.ts";
import type { Args, Io, OptionSpec } from "./command.ts";
import { complain } from "./complain.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { jsonLine } from "./json-line.ts";
import { locateAll } from "./locate-all.ts";
import { exitOfMany, manyJson, showMany } from "./show-many.ts";
import { KEY_OPTION, useMirror } from "./use-mirror.ts";
import { isOneDocument, planProtection, protectMany, setProtection } from "../mirror/operations/manual/protect.ts";

/** Implements `protect` and `unprotect`. Neither changes local files. */

export const PROTECTION_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  "dry-run": { help: "show what it would do and write nothing" },
  json: { help: "print one JSON object" },
  ...KEY_OPTION,
};

export async function changeProtection(io: Io, args: Args, value: boolean): Promise<ExitCode> {
  const place = locateAll(io, args.operands);
  if (place.kind === "trouble") return complain(io, place.trouble);
  const { root, paths } = place.value;
  const mode = args.flag("dry-run") ? "read" : "write";
  const use = { mode, what: "protect", quiet: args.flag("json"), keyFile: args.text("key-file") } as const;
  return useMirror(io, root, use, async (mirror) => {
    const isOne = paths.length === 1 && isOneDocument(mirror.world, paths[0]!);
    const isPlain = isOne && !args.flag("dry-run") && !args.flag("json");
    return isPlain ? changeOne(io, mirror, paths[0]!, value) : changeMany(io, args, mirror, paths, value);
  });
}

async function changeOne(io: Io, mirror: OpenedMirror, path: string, value: boolean): Promise<ExitCode> {
  const changed = await setProtection(mirror, path, value);
  if (changed.kind === "trouble") return complain(io, changed.trouble);
  io.out(
    value
      ? `${shownName(path)} is protected: changes go to review`
      : `${shownName(path)} is not protected: changes are published immediately`,
  );
  return EXIT.inSync;
}

async function changeMany(
  io: Io,
  args: Args,
  mirror: OpenedMirror,
  names: readonly string[],
  value: boolean,
): Promise<ExitCode> {
  const planned = await planProtection(mirror, names, value);
  if (planned.kind === "trouble") return complain(io, planned.trouble);
  const items = planned.value;
  const json = args.flag("json");
  if (args.flag("dry-run")) {
    if (json) io.out(jsonLine({ protected: value, run: null, items: items.map(plannedJson) }));
    else showPlanned(io, items, value);
    return EXIT.inSync;
  }
  const done = await protectMany(mirror.world, items, value);
  const word = value ? "protected" : "not protected any more";
  if (json) io.out(jsonLine({ protected: value, ...manyJson(done) }));
  else showMany(io, { ...done, word });
  return exitOfMany(done);
}

function plannedJson({ path, isSo }: ProtectItem): object {
  return { path, end: isSo ? "done" : "planned", why: "", notes: [] };
}

function showPlanned(io: Io, items: readonly ProtectItem[], value: boolean): void {
  const word = value ? "protected" : "not protected";
  for (const { path, isSo } of items)
    io.out(`  ${shownName(path)}  ${isSo ? `is already ${word}` : `will be ${word}`}`);
  const wanted = items.filter(({ isSo }) => !isSo).length;
  io.out(`${count(wanted)} will be ${word}, ${count(items.length - wanted)} already are; nothing was done`);
}
