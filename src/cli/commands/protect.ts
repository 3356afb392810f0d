import { count } from "../../common/count.ts";
import { shownName } from "../../common/shown-name.ts";
import { ok } from "../../common/trouble.ts";
import { protect } from "../../mirror/operations/manual/protect.ts";
import { locateDocuments, operationCommand } from "../operation-command.ts";
import { showMany } from "../show-many.ts";

export const command = protectionCommand(protect, {
  examples: ["mdmirror protect contract.md", "mdmirror protect 'legal/**' --dry-run"],
  word: "protected",
  many: "protected",
  one: "is protected: changes go to review",
});

type Words = {
  readonly examples: readonly string[];
  readonly word: string;
  /** Participle for a sum. */
  readonly many: string;
  readonly one: string;
};

/** Makes the command of one of the two operations. */
export function protectionCommand(operation: typeof protect, { examples, word, many, one }: Words) {
  return operationCommand(operation, {
    operands: { usage: "PATH… | FOLDER | 'GLOB'", least: 1, most: 10_000 },
    examples,
    locate(io, { operands }) {
      const located = locateDocuments(io, operands);
      if (located.kind === "trouble") return located;
      const { root, paths } = located.value;
      return ok({ root, input: { paths } });
    },
    planLines({ items }, isDryRun) {
      if (!isDryRun) return [];
      const wanted = items.filter(({ isSo }) => !isSo).length;
      return [
        ...items.map(({ path, isSo }) => `  ${shownName(path)}  ${isSo ? `is already ${word}` : `will be ${word}`}`),
        `${count(wanted)} will be ${word}, ${count(items.length - wanted)} already are; nothing was done`,
      ];
    },
    showDone(io, { isOne }, { run, items }) {
      if (isOne) io.out(`${shownName(items[0]!.path)} ${one}`);
      else showMany(io, { run, ends: items, word: many });
    },
  });
}
