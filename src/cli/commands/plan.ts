import { onFolder } from "../find-mirror.ts";
import type { Command } from "../command.ts";
import { REACH_OPTIONS, reachOptionsOf } from "../use-mirror.ts";
import { showPlan } from "../show-plan.ts";
import { USUAL_RUN } from "../../mirror/folder/run.ts";

export const command: Command = {
  about: ["Scans both sides and shows the steps of the next sync. Writes nothing on either side or in .mdmirror/."],
  examples: ["mdmirror plan notes --all"],
  options: {
    json: { help: "print one JSON object with the steps, the blocked documents and the safety checks" },
    all: { help: "print every name (default: the first ten of each kind)" },
    ...REACH_OPTIONS,
  },
  ...onFolder(async (io, args, root) => {
    const options = { json: args.flag("json"), quiet: false, all: args.flag("all"), ...reachOptionsOf(io, args) };
    return showPlan(io, root, { ...USUAL_RUN, attended: io.terminal.output }, options);
  }),
};
