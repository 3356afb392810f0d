import { unprotect } from "../../mirror/operations/manual/protect.ts";
import { protectionCommand } from "./protect.ts";

export const command = protectionCommand(unprotect, "not protected", ["mdmirror unprotect contract.md"]);
