import { reject } from "../../mirror/operations/manual/answer-stop.ts";
import { operationCommand } from "../operation-command.ts";
import { ANSWER } from "./approve.ts";

export const command = operationCommand(reject, {
  ...ANSWER,
  examples: ["mdmirror reject notes"],
  question: () => "undo these changes?",
  words: () => ({ word: "restored" }),
  next: ({ next }) => (next === "daemon" ? "the daemon syncs now" : "next: mdmirror sync"),
});
