import { join } from "node:path";
import { buildDist } from "../build/dist.ts";
import { PROJECT } from "./child.ts";

/** @returns the command as a user has it, who has no checkout: made where it is not there */
export function shippedCli(): string {
  const built = buildDist(PROJECT);
  if (built.kind === "failed") throw new Error(`dist/: ${built.why}`);
  return join(PROJECT, "dist/cli/entry.mjs");
}
