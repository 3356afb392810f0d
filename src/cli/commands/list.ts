import type { FolderStatus, MirrorWord } from "../../mirror/folder/status.ts";
import { shownName } from "../../common/shown-name.ts";
import type { Command } from "../command.ts";
import { complain, EXIT } from "../exit.ts";
import { columns, jsonLine } from "../text.ts";
import { readAll } from "../show-status.ts";

export const command: Command = {
  about: [
    "Lists the linked folders of this user on this computer: name, folder, address and status. Commands take the name in place of the folder.",
    "A folder is in the list after mdmirror init linked it or mdmirror trust allowed it. Uses no network.",
  ],
  examples: ["mdmirror list"],
  options: {
    json: { help: "print one JSON object" },
  },
  operands: { usage: "", least: 0, most: 0 },
  async run(io, args) {
    const read = await readAll(io);
    if (read.kind === "trouble") return complain(io, read.trouble);
    const { mirrors } = read.value;
    if (args.flag("json")) io.out(jsonLine({ mirrors: mirrors.map(({ mirror, state }) => ({ ...mirror, state })) }));
    else if (mirrors.length === 0) io.out("no folder is linked yet; next: mdmirror init DIR --url URL");
    else for (const line of columns(mirrors.map(cells))) io.out(line);
    return EXIT.inSync;
  },
};

const MORE: Readonly<Partial<Record<MirrorWord, string>>> = {
  gone: ": missing: moved, deleted or not mounted",
  other: ": another folder is at this path now",
};

function cells({ mirror: { root, name, addresses }, state }: FolderStatus): string[] {
  return [shownName(name), shownName(root), addresses.join(" "), `${state}${MORE[state] ?? ""}`];
}
