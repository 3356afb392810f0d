import { realpathSync } from "node:fs";
import { questionOf, type TrustQuestion } from "../../mirror/trust/ask.ts";
import { shellWord } from "../../mirror/model/shell-word.ts";
import type { Command, Io } from "../command.ts";
import { complain, EXIT, type ExitCode } from "../exit.ts";
import { judgeName, ONE_FOLDER, onFolder } from "../find-mirror.ts";
import { ALLOW_HTTP_OPTION, NAME_OPTION, askForYes } from "../use-mirror.ts";
import { columns } from "../text.ts";
import { partClause } from "../../mirror/settings/settings.ts";
import { bindMirror } from "../../mirror/trust/bind.ts";

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
  ...onFolder(async (io, args, dir) => {
    const root = realpathSync(dir);
    const name = args.text("name");
    const unfit = judgeName(io, "trust", name, root);
    if (unfit !== null) return unfit;
    const allowHttp = args.texts("allow-http");
    const asked = questionOf(root, { env: io.env, cwd: io.cwd, allowHttp });
    if (asked.kind === "trouble") return complain(io, asked.trouble);
    const question = asked.value;
    if (question.isTrusted && name === null) {
      io.out(`${root} is already a linked folder of yours, linked to ${question.address}`);
      return EXIT.inSync;
    }
    if (!question.isTrusted) {
      const answer = await ask(io, args.flag("yes"), question);
      if (answer !== "agreed") return answer;
    }
    return keep(io, root, question, { allowHttp, name });
  }),
  operands: { ...ONE_FOLDER, offers: ["folder"] },
};

async function keep(
  io: Io,
  root: string,
  { address, marker, isTrusted }: TrustQuestion,
  given: { readonly allowHttp: readonly string[]; readonly name: string | null },
): Promise<ExitCode> {
  const bound = bindMirror(root, marker, { address, ...given, env: io.env });
  if (bound.kind === "trouble") return complain(io, bound.trouble);
  if (bound.value !== null) io.err(`mdmirror: ${bound.value}`);
  io.out(isTrusted ? `${root} is called ${given.name}` : `trusted: ${root} with ${address}`);
  if (!isTrusted) io.out(`next: mdmirror sync ${shellWord(root)}`);
  return EXIT.inSync;
}

async function ask(io: Io, yes: boolean, question: TrustQuestion): Promise<"agreed" | ExitCode> {
  for (const line of columns(facts(question))) io.out(line);
  if (await askForYes(io, yes, "send these documents and the key to this address?")) return "agreed";
  if (io.terminal.input) io.err("mdmirror: not trusted; nothing was sent");
  else {
    io.err("mdmirror: this command needs a confirmation, but no terminal is attached; nothing was sent");
    io.err(`  next: mdmirror trust ${shellWord(question.root)} --yes`);
  }
  return EXIT.usage;
}

function facts({ root, address, remote, owner, documents, key, known }: TrustQuestion): string[][] {
  return [
    ["folder", root],
    ["holds", documents],
    ["belongs to", owner],
    ["would go to", `${address}${partClause(remote)}, ${key}`],
    ...(known === null ? [] : [["so far", `trusted for ${known.addresses.join(" and ")}`]]),
  ];
}
