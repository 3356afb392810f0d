import { findFault } from "./all.ts";
import { plantHere } from "./plant.ts";

/** `node --import hook.ts`: applies a mutant in the processes that a test starts. */

const id = process.env["MDMIRROR_PLANTED_FAULT"];
if (id !== undefined && id !== "") plantHere(findFault(id));
