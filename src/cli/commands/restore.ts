import { count } from "../../common/quantities.ts";
import { restore } from "../../mirror/operations/history/restore.ts";
import { formatLocalTime } from "../../mirror/operations/results/times.ts";
import { locatePaths, splitVersion } from "../find-mirror.ts";
import { makeOperationCommand } from "../operation-command.ts";
import { refuse } from "../../common/trouble.ts";

export const command = makeOperationCommand(restore, {
  operands: { usage: "PATH[@N] | ID[@N] | FOLDER | 'GLOB' …", least: 1, most: 10_000 },
  examples: ["mdmirror restore plan.md@3", "mdmirror restore 'work/**' --as-of 2h --dry-run"],
  locate(io, { operands }) {
    const wantedVersions = operands.map(splitVersion);
    if (wantedVersions.length > 1 && wantedVersions.some(({ n }) => n !== null))
      return refuse("PATH@N is one version of one document", "give no other path");
    const names = wantedVersions.map(({ path }) => path);
    const { root, paths } = locatePaths(io, names);
    return { root, input: { paths, n: wantedVersions[0]!.n ?? undefined } };
  },
  question({ items }) {
    const restorableCount = items.filter(({ act }) => act !== null).length;
    return restorableCount <= 1 ? null : `restore ${count(restorableCount)} documents?`;
  },
  head({ isOne, asOf }) {
    if (isOne) return [];
    return [asOf === null ? "deleted documents:" : `state at ${formatLocalTime(asOf)}:`];
  },
  words: () => ({
    word: "restored",
    detail: ({ n, at, asNew }) => `version ${n} of ${formatLocalTime(at ?? 0)}${asNew ? ", as a new document" : ""}`,
  }),
});
