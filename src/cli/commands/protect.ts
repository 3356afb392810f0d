import { ok } from "../../common/trouble.ts";
import { protect } from "../../mirror/operations/manual/protect.ts";
import { locateDocuments, operationCommand } from "../operation-command.ts";

export const command = protectionCommand(protect, "protected", [
  "mdmirror protect contract.md",
  "mdmirror protect 'legal/**' --dry-run",
]);

/**
 * Makes the command of one of the two operations.
 * @param word participle for a document and for a sum
 */
export function protectionCommand(operation: typeof protect, word: string, examples: readonly string[]) {
  return operationCommand(operation, {
    operands: { usage: "PATH… | FOLDER | 'GLOB'", least: 1, most: 10_000 },
    examples,
    locate(io, { operands }) {
      const located = locateDocuments(io, operands);
      if (located.kind === "trouble") return located;
      const { root, paths } = located.value;
      return ok({ root, input: { paths } });
    },
    words: () => ({ word }),
  });
}
