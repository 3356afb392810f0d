import { protect, unprotect as publish } from "../../mirror/operations/manual/protect.ts";
import { locateAll } from "../find-mirror.ts";
import { operationCommand } from "../operation-command.ts";

const EXAMPLES = ["mdmirror protect contract.md", "mdmirror protect 'legal/**' --dry-run"];
export const command = protectionCommand(protect, "protected", EXAMPLES);
export const unprotect = protectionCommand(publish, "not protected", ["mdmirror unprotect contract.md"]);

/** @param word participle for a changed document and for the total, such as `protected` */
function protectionCommand(operation: typeof protect, word: string, examples: readonly string[]) {
  return operationCommand(operation, {
    operands: { usage: "PATH… | FOLDER | 'GLOB'", least: 1, most: 10_000 },
    examples,
    locate(io, { operands }) {
      const { root, paths } = locateAll(io, operands);
      return { root, input: { paths } };
    },
    words: () => ({ word }),
  });
}
