import type { FoundFormats } from "../../app/mirror/formats.ts";
import { shownName } from "../../model/shown-name.ts";
import type { Command } from "../command.ts";
import { complain } from "../complain.ts";
import { EXIT } from "../exit.ts";
import { jsonLine } from "../json-line.ts";
import { columns } from "../when.ts";

export const command: Command = {
  usage: "upgrade-check [--json]",
  about: [
    "The version here, the formats that it writes, those that your mirrors have, and where to look for a newer version. It asks",
    "nobody: mdmirror never calls home. Exit: 0; 2 where a mirror was written by a newer mdmirror.",
  ],
  options: { json: { help: "one JSON object" } },
  operands: { least: 0, most: 0 },
  async run(io, args) {
    const [{ findFormats, KNOWN }, { version }] = await Promise.all([
      import("../../app/mirror/formats.ts"),
      import("../../app/version.ts"),
    ]);
    const found = findFormats(io.env);
    if (found.kind === "trouble") return complain(io, found.trouble);
    const here = version();
    if (args.flag("json"))
      io.out(jsonLine({ version: here, node: process.version, formats: KNOWN, mirrors: found.value }));
    else {
      io.out(`mdmirror ${here}, on Node ${process.version}`);
      io.out(`it writes state.db ${KNOWN.state}, texts.db ${KNOWN.texts}, service.db ${KNOWN.service}`);
      for (const line of columns(found.value.map(cells))) io.out(line);
      io.out("a newer version is had where this one came from: npm view mdmirror version, or your package manager");
    }
    return found.value.some(({ verdict }) => verdict === "newer") ? EXIT.usage : EXIT.inSync;
  },
};

const WORDS: Readonly<Record<FoundFormats["verdict"], string>> = {
  same: "as this version writes it",
  older: "older: brought up to date by the next sync, which keeps a copy",
  newer: "newer: use the newer mdmirror",
  unreadable: "cannot be read: mdmirror status tells why",
};

function cells({ name, root, found: { state, texts }, verdict, hasBefore }: FoundFormats): string[] {
  const kept = hasBefore ? "; .mdmirror/state.db.before is kept until it is in sync" : "";
  return [
    shownName(name),
    shownName(root),
    `state.db ${state ?? "?"}, texts.db ${texts ?? "?"}`,
    `${WORDS[verdict]}${kept}`,
  ];
}
