import type { Command } from "../command.ts";
import { EXIT, type ExitCode } from "../exit.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

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
    const shell = args.operands[0] as Shell;
    const [{ declaredCommands }, script] = await Promise.all([import("../completion/declared.ts"), scriptOf(shell)]);
    for (const line of script(await declaredCommands(table))) io.out(line);
    return EXIT.inSync;
  },
};

async function scriptOf(shell: Shell) {
  switch (shell) {
    case "bash":
      return (await import("../completion/bash.ts")).bashCompletion;
    case "zsh":
      return (await import("../completion/zsh.ts")).zshCompletion;
    case "fish":
      return (await import("../completion/fish.ts")).fishCompletion;
  }
}
