import { findFault } from "./all.ts";
import { plantHere } from "./plant.ts";

/** `node --import hook.ts`: for the processes that a test starts. */

const id = process.env["MDMIRROR_PLANTED_FAULT"];
if (id !== undefined && id !== "") plantHere(findFault(id));
