/**
 * `npm run soak [-- PART] [options]`: long runs. Without a part, real faults on real processes,
 * files and HTTP; each part has its own options, named at the top of its file.
 */
import { runPart } from "./run-part.ts";

await runPart("soak", {
  faults: () => import("./soak/all.ts"),
  daemons: () => import("./soak/two-daemons.ts"),
  sync: () => import("./soak/sync.ts"),
});
