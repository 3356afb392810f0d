import { protect, unprotect as publish } from "../../mirror/operations/manual/protect.ts";
import { locatePaths } from "../find-mirror.ts";
import { makeOperationCommand } from "../operation-command.ts";

const EXAMPLES = ["mdmirror protect contract.md", "mdmirror protect 'legal/**' --dry-run"];
export const command = makeProtectionCommand(protect, "protected", EXAMPLES);
export const unprotect = makeProtectionCommand(publish, "not protected", ["mdmirror unprotect contract.md"]);

/** @param word participle for a changed document in the output, such as `protected` */
function makeProtectionCommand(operation: typeof protect, word: string, examples: readonly string[]) {
  return makeOperationCommand(operation, {
    operands: { usage: "PATH… | FOLDER | 'GLOB'", least: 1, most: 10_000 },
    examples,
    locate(io, { operands }) {
      const { root, paths } = locatePaths(io, operands);
      return { root, input: { paths } };
    },
    words: () => ({ word }),
  });
}
