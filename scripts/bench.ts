/**
 * `npm run bench [-- PART] [options]`: measures how fast mdmirror is. Without PART it compares
 * mdmirror with bare loops and with other programs. Each part has its own options: `-- PART
 * --help`.
 */
import { runPart } from "./usage.ts";

const at = (file: string) => new URL(file, import.meta.url);

await runPart("bench", import.meta.url, {
  ratios: { file: at("./bench/ratios.ts"), load: () => import("./bench/ratios.ts") },
  service: { file: at("./bench/serving/serving.ts"), load: () => import("./bench/serving/serving.ts") },
});
