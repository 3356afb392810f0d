import type { Command } from "../command.ts";
import { complain } from "../exit.ts";
import { findMirror } from "../find-mirror.ts";
import { REACH_OPTIONS, reachOptionsOf } from "../use-mirror.ts";
import { showPlan } from "../show-plan.ts";
import { USUAL_RUN } from "../../mirror/folder/run.ts";

export const command: Command = {
  usage: "plan [DIR] [--json] [--all]",
  about: ["Scans both sides and shows the steps of the next sync. Writes nothing on either side or in .mdmirror/."],
  examples: ["mdmirror plan notes --all"],
  options: {
    json: { help: "print one JSON object with the steps, the blocked documents and the safety checks" },
    all: { help: "print every name (default: the first ten of each kind)" },
    ...REACH_OPTIONS,
  },
  operands: { least: 0, most: 1 },
  async run(io, args) {
    const root = findMirror(io, args.operands[0]);
    if (root.kind === "trouble") return complain(io, root.trouble);
    const options = { json: args.flag("json"), quiet: false, all: args.flag("all"), ...reachOptionsOf(io, args) };
    return showPlan(io, root.value, { ...USUAL_RUN, attended: io.terminal.output }, options);
  },
};
