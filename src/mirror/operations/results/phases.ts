import type { Progress } from "../../ports/world.ts";

export const PHASE_WORDS: Readonly<Record<Parameters<Progress["report"]>[0], string>> = {
  recover: "completing interrupted steps",
  scan: "scanning local files",
  list: "listing documents on the service",
  plan: "planning",
  apply: "applying changes",
};
