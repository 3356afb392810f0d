import type { Command } from "../command.ts";
import { misuse } from "../complain.ts";
import { EXIT, type ExitCode } from "../exit.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

export const command: Command = {
  usage: "completion bash|zsh|fish",
  about: [
    "Prints a script that completes commands, options, names of linked folders, files and folders. For each new shell:",
    `  bash: a line in ~/.bashrc: eval "$(mdmirror completion bash)"`,
    `  zsh:  a line in ~/.zshrc:  eval "$(mdmirror completion zsh)"`,
    "  fish: mdmirror completion fish > ~/.config/fish/completions/mdmirror.fish",
    "To load it at the first TAB: save it in ~/.local/share/bash-completion/completions/ as mdmirror (bash-completion). For zsh: save it in a folder of $fpath as _mdmirror.",
  ],
  examples: ["mdmirror completion bash"],
  options: {},
  operands: { least: 1, most: 1, words: SHELLS },
  async run(io, args, table): Promise<ExitCode> {
    const shell = SHELLS.find((known) => known === args.operands[0]);
    if (shell === undefined) return misuse(io, "completion", `choose a shell: ${SHELLS.join(", ")}`);
    const [{ declaredCommands }, script] = await Promise.all([import("../completion/declared.ts"), scriptOf(shell)]);
    for (const line of script(await declaredCommands(table))) io.out(line);
    return EXIT.inSync;
  },
};

async function scriptOf(shell: (typeof SHELLS)[number]) {
  switch (shell) {
    case "bash":
      return (await import("../completion/bash.ts")).bashCompletion;
    case "zsh":
      return (await import("../completion/zsh.ts")).zshCompletion;
    case "fish":
      return (await import("../completion/fish.ts")).fishCompletion;
  }
}
