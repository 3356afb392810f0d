import { WHOLE_FOLDER } from "../../mirror/model/mirror-folder.ts";
import { wait } from "../../mirror/operations/manual/wait-operation.ts";
import { locatePaths } from "../find-mirror.ts";
import { makeReadCommand } from "../operation-command.ts";
import { findExitOfWait, showWaitReport } from "../show-report.ts";

export const command = makeReadCommand(wait, {
  operands: { usage: "[PATH…]", least: 0, most: Number.POSITIVE_INFINITY },
  examples: ["mdmirror wait plan.md --timeout 2m"],
  locate(io, { operands }) {
    const { root, paths } = locatePaths(io, operands);
    return { root, input: paths.includes(WHOLE_FOLDER) ? {} : { paths } };
  },
  exit: findExitOfWait,
  print(io, report, { took }) {
    showWaitReport(io, report, { quiet: false, took });
  },
});
