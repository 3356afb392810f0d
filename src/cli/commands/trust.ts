import type { TrustQuestion } from "../../app/trust/ask.ts";
import { shellWord } from "../../model/shell-word.ts";
import type { Command, Io } from "../command.ts";
import { complain } from "../complain.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { findMirror } from "../find-mirror.ts";
import { agrees } from "../use-mirror.ts";
import { columns } from "../when.ts";

const { realpathSync } = process.getBuiltinModule("node:fs");

export const command: Command = {
  usage: "trust [DIR] [--yes] [--allow-http HOST] [--name NAME]",
  about: [
    "Lets DIR send its documents, and your key, to the address that its configuration names: needed once for a folder that you",
    "did not link yourself with mdmirror init, or whose address has changed. Shows where that is, and asks. Sends nothing.",
  ],
  options: {
    yes: { short: "y", help: "trust it without a question" },
    "allow-http": {
      value: "HOST",
      multiple: true,
      help: "use plain http to this host, which shows the key to the network",
    },
    name: { value: "NAME", help: "what it is called, for commands and mdmirror list (as its folder)" },
  },
  operands: { least: 0, most: 1 },
  async run(io, args): Promise<ExitCode> {
    const found = findMirror(io, args.operands[0]);
    if (found.kind === "trouble") return complain(io, found.trouble);
    const root = realpathSync(found.value);
    const name = args.text("name");
    const { judgeName } = await import("../judge-name.ts");
    const unfit = judgeName(io, "trust", name, root);
    if (unfit !== null) return unfit;
    const { questionOf } = await import("../../app/trust/ask.ts");
    const allowHttp = args.texts("allow-http");
    const asked = questionOf(root, { env: io.env, cwd: io.cwd, allowHttp });
    if (asked.kind === "trouble") return complain(io, asked.trouble);
    const question = asked.value;
    if (question.isTrusted && name === null) {
      io.out(`${root} is one of your mirrors already, of ${question.address}`);
      return EXIT.inSync;
    }
    if (!question.isTrusted) {
      const answer = await ask(io, args.flag("yes"), question);
      if (answer !== "agreed") return answer;
    }
    return keep(io, root, question, { allowHttp, name });
  },
};

async function keep(
  io: Io,
  root: string,
  { address, marker, isTrusted }: TrustQuestion,
  given: { readonly allowHttp: readonly string[]; readonly name: string | null },
): Promise<ExitCode> {
  const { bindMirror } = await import("../../app/trust/bind.ts");
  const bound = bindMirror(root, marker, { address, ...given, env: io.env });
  if (bound.kind === "trouble") return complain(io, bound.trouble);
  if (bound.value !== null) io.err(`mdmirror: ${bound.value}`);
  io.out(isTrusted ? `${root} is called ${given.name}` : `trusted: ${root} with ${address}`);
  if (!isTrusted) io.out(`next: mdmirror sync ${shellWord(root)}`);
  return EXIT.inSync;
}

async function ask(io: Io, yes: boolean, question: TrustQuestion): Promise<"agreed" | ExitCode> {
  for (const line of columns(facts(question))) io.out(line);
  if (await agrees(io, yes, "may these documents, and the key, go there?")) return "agreed";
  if (io.terminal.input) io.err("mdmirror: it is not trusted; nothing was sent");
  else {
    io.err("mdmirror: there is no terminal to ask on; nothing was sent");
    io.err(`  next: if that is what you want: mdmirror trust ${shellWord(question.root)} --yes`);
  }
  return EXIT.usage;
}

function facts({ root, address, remote, owner, documents, key, known }: TrustQuestion): string[][] {
  return [
    ["folder", root],
    ["holds", documents],
    ["belongs to", owner],
    ["would go to", `${address}${remote === "" ? "" : `, folder ${remote}`}, ${key}`],
    ...(known === null ? [] : [["so far", `trusted for ${known.addresses.join(" and ")}`]]),
  ];
}
