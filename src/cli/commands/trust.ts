import { unwrap } from "../../common/trouble.ts";
import { collectTrustFacts, type TrustQuestion } from "../../mirror/trust/ask.ts";
import { quoteForShell } from "../../mirror/model/shell-word.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit.ts";
import { requireMirrorName, FOLDER_OPERANDS, makeFolderCommand } from "../find-mirror.ts";
import { ALLOW_HTTP_OPTION, NAME_OPTION, askAgreement } from "../use-mirror.ts";
import { formatColumns } from "../text.ts";
import { describeLinkedPart } from "../../mirror/settings/settings.ts";
import { bindMirror } from "../../mirror/trust/list.ts";

export const command: Command = {
  about: [
    "Shows the address in the configuration of DIR, and asks whether mdmirror may send the documents of DIR and your key to it.",
    "Needed once for a folder that you did not link with mdmirror init, and again when its address changes. Sends nothing itself.",
  ],
  examples: ["mdmirror trust shared-notes"],
  options: {
    yes: { short: "y", help: "trust the folder without asking" },
    ...ALLOW_HTTP_OPTION,
    ...NAME_OPTION,
  },
  ...makeFolderCommand(async (io, args, root) => {
    const name = args.text("name");
    requireMirrorName(io, name, root);
    const allowHttp = args.texts("allow-http");
    const trustFacts = unwrap(collectTrustFacts(root, { env: io.env, cwd: io.cwd, allowHttp }));
    const { address, marker, isTrusted } = trustFacts;
    if (isTrusted && name === null) {
      return { lines: [`${root} is already a linked folder of yours, linked to ${address}`] };
    }
    if (!isTrusted) {
      for (const line of formatColumns(formatFacts(trustFacts))) io.out(line);
      const question = "send these documents and the key to this address?";
      if (!(await askAgreement(io, args, question, `mdmirror trust ${quoteForShell(root)} --yes`))) return EXIT.usage;
    }
    const bindNote = unwrap(bindMirror(root, marker, { address, allowHttp, name, env: io.env }));
    if (bindNote !== null) io.err(`mdmirror: ${bindNote}`);
    if (isTrusted) return { lines: [`${root} is called ${name}`] };
    return { lines: [`trusted: ${root} with ${address}`, `next: mdmirror sync ${quoteForShell(root)}`] };
  }),
  operands: { ...FOLDER_OPERANDS, offers: ["folder"] },
};

function formatFacts({ root, address, remote, owner, documents, key, known }: TrustQuestion): string[][] {
  return [
    ["folder", root],
    ["holds", documents],
    ["belongs to", owner],
    ["would go to", `${address}${describeLinkedPart(remote)}, ${key}`],
    ...(known === null ? [] : [["so far", `trusted for ${known.addresses.join(" and ")}`]]),
  ];
}
