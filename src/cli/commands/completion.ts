import { listOwnMirrors } from "../../mirror/trust/list.ts";
import type { Command } from "../command.ts";
import { offerLines } from "../completion/offers.ts";
import { SCRIPTS } from "../completion/scripts.ts";
import { EXIT, type ExitCode } from "../exit.ts";

export const command: Command = {
  about: [
    "Prints a script that completes commands, options, names of linked folders, files and folders. For each new shell:",
    `  bash: a line in ~/.bashrc: eval "$(mdmirror completion bash)"`,
    `  zsh:  a line in ~/.zshrc:  eval "$(mdmirror completion zsh)"`,
    "  fish: mdmirror completion fish > ~/.config/fish/completions/mdmirror.fish",
    "To load it at the first TAB: save it in ~/.local/share/bash-completion/completions/ as mdmirror (bash-completion). For zsh: save it in a folder of $fpath as _mdmirror.",
    "The script calls mdmirror completion offer -- WORD…, which prints the offers after these words.",
  ],
  examples: ["mdmirror completion bash"],
  options: {},
  operands: {
    usage: "bash|zsh|fish",
    least: 1,
    most: Number.POSITIVE_INFINITY,
    words: [...Object.keys(SCRIPTS), "offer"],
  },
  async run(io, { operands: [verb, ...words] }, table): Promise<ExitCode> {
    const lines =
      verb === "offer"
        ? await offerLines(words, table, () => namesOf(io.env))
        : SCRIPTS[verb as keyof typeof SCRIPTS].split("\n");
    for (const line of lines) io.out(line);
    return EXIT.inSync;
  },
};

function namesOf(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const listed = listOwnMirrors(env);
  return listed.kind === "trouble" ? [] : listed.value.mirrors.map(({ name }) => name);
}
