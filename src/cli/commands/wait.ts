import { WHOLE_FOLDER } from "../../mirror/model/mirror-folder.ts";
import { wait } from "../../mirror/operations/manual/wait-operation.ts";
import { locateAll } from "../find-mirror.ts";
import { readCommand } from "../operation-command.ts";
import { exitOfWait, showWaited } from "../show-report.ts";

export const command = readCommand(wait, {
  operands: { usage: "[PATH…]", least: 0, most: Number.POSITIVE_INFINITY },
  examples: ["mdmirror wait plan.md --timeout 2m"],
  locate(io, { operands }) {
    const { root, paths } = locateAll(io, operands);
    return { root, input: paths.includes(WHOLE_FOLDER) ? {} : { paths } };
  },
  exit: exitOfWait,
  print(io, report, { took }) {
    showWaited(io, report, { quiet: false, took });
  },
});
