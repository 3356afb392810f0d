import { findMutant } from "./all.ts";
import { applyHere } from "./apply-mutant.ts";

/** `node --import hook.ts`: applies a mutant in the processes that a test starts. */

const id = process.env["MDMIRROR_MUTANT"];
if (id !== undefined && id !== "") applyHere(findMutant(id));
