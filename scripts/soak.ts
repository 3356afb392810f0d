/**
 * `npm run soak [-- PART] [options]`: long runs. Without PART, injects real faults into real
 * processes, files and HTTP. Each part has its own options: `-- PART --help`.
 */
import { runPart } from "./usage.ts";

const at = (file: string) => new URL(file, import.meta.url);

await runPart("soak", import.meta.url, {
  faults: { file: at("./soak/all.ts"), load: () => import("./soak/all.ts") },
  daemons: { file: at("./soak/two-daemons.ts"), load: () => import("./soak/two-daemons.ts") },
  openapi: { file: at("./soak/openapi.ts"), load: () => import("./soak/openapi.ts") },
  histories: { file: at("./soak/histories.ts"), load: () => import("./soak/histories.ts") },
  folders: { file: at("./soak/folders.ts"), load: () => import("./soak/folders.ts") },
});
