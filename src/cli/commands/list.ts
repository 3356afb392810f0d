import type { ListedMirror } from "../../app/trust/list.ts";
import type { Command } from "../command.ts";
import { complain } from "../complain.ts";
import { EXIT } from "../exit.ts";
import { columns } from "../when.ts";
import { jsonLine } from "../json-line.ts";
import { shownName } from "../../model/shown-name.ts";

export const command: Command = {
  usage: "list [--json]",
  about: [
    "The mirrored folders of this user on this machine, and the address that each may send to: those that mdmirror init linked",
    "or mdmirror trust let in. Sends nothing.",
  ],
  options: { json: { help: "one JSON object" } },
  operands: { least: 0, most: 0 },
  async run(io, args) {
    const { listOwnMirrors } = await import("../../app/trust/list.ts");
    const listed = listOwnMirrors(io.env);
    if (listed.kind === "trouble") return complain(io, listed.trouble);
    const { mirrors, notes } = listed.value;
    for (const note of notes) io.err(`mdmirror: ${note}; what it held is asked for again, by mdmirror trust`);
    if (args.flag("json")) io.out(jsonLine({ mirrors }));
    else if (mirrors.length === 0) io.out("no folder is mirrored yet; next: mdmirror init DIR --url URL");
    else for (const line of columns(mirrors.map(cells))) io.out(line);
    return EXIT.inSync;
  },
};

const WORDS: Readonly<Record<ListedMirror["state"], string>> = {
  here: "",
  gone: "not there: moved, deleted or not mounted",
  other: "another folder is there now",
};

function cells({ root, name, addresses, state }: ListedMirror): string[] {
  return [shownName(root), name ?? "", addresses.join(" "), WORDS[state]];
}
