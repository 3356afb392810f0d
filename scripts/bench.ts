/**
 * `npm run bench [-- PART] [options]`: how fast mdmirror is. Without a part, ratios to bare loops
 * and to other programs; each part has its own options, named at the top of its file.
 */
import { runPart } from "./run-part.ts";

const at = (file: string) => new URL(file, import.meta.url);

await runPart("bench", import.meta.url, {
  ratios: { file: at("./bench/ratios.ts"), load: () => import("./bench/ratios.ts") },
  service: { file: at("./bench/serving/serving.ts"), load: () => import("./bench/serving/serving.ts") },
});
