import { count } from "../../common/count.ts";
import { restore } from "../../mirror/operations/history/restore.ts";
import { localTime } from "../../mirror/operations/results/when.ts";
import { locateAll, splitVersion } from "../find-mirror.ts";
import { operationCommand } from "../operation-command.ts";
import { refuse } from "../../common/trouble.ts";

export const command = operationCommand(restore, {
  operands: { usage: "PATH[@N] | ID[@N] | FOLDER | 'GLOB' …", least: 1, most: 10_000 },
  examples: ["mdmirror restore plan.md@3", "mdmirror restore 'work/**' --as-of 2h --dry-run"],
  locate(io, { operands }) {
    const wanted = operands.map(splitVersion);
    if (wanted.length > 1 && wanted.some(({ n }) => n !== null))
      return refuse("PATH@N is one version of one document", "give no other path");
    const names = wanted.map(({ path }) => path);
    const { root, paths } = locateAll(io, names);
    return { root, input: { paths, n: wanted[0]!.n ?? undefined } };
  },
  question({ items }) {
    const able = items.filter(({ act }) => act !== null).length;
    return able <= 1 ? null : `restore ${count(able)} documents?`;
  },
  head({ isOne, asOf }) {
    if (isOne) return [];
    return [asOf === null ? "deleted documents:" : `state at ${localTime(asOf)}:`];
  },
  words: () => ({
    word: "restored",
    detail: ({ n, at, asNew }) => `version ${n} of ${localTime(at ?? 0)}${asNew ? ", as a new document" : ""}`,
  }),
});
