import { unprotect } from "../../mirror/operations/manual/protect.ts";
import { protectionCommand } from "./protect.ts";

export const command = protectionCommand(unprotect, {
  examples: ["mdmirror unprotect contract.md"],
  word: "not protected",
  many: "not protected any more",
  one: "is not protected: changes are published immediately",
});
