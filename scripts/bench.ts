/**
 * `npm run bench [-- PART] [options]`: how fast mdmirror is. Without a part, ratios to bare loops
 * and to other programs; each part has its own options, named at the top of its file.
 */
import { runPart } from "./run-part.ts";

const at = (file: string) => new URL(file, import.meta.url);

await runPart("bench", import.meta.url, {
  ratios: { file: at("./bench/ratios.ts"), load: () => import("./bench/ratios.ts") },
  service: { file: at("./bench/serving/serving.ts"), load: () => import("./bench/serving/serving.ts") },
  search: { file: at("./bench/searching.ts"), load: () => import("./bench/searching.ts") },
  watch: {
    file: at("./bench/watching.ts"),
    load: () => import("./bench/watching.ts").then(({ benchWatching }) => benchWatching()),
  },
  events: { file: at("./bench/events/events.ts"), load: () => import("./bench/events/events.ts") },
  polling: { file: at("./bench/events/polling.ts"), load: () => import("./bench/events/polling.ts") },
  checkout: { file: at("./bench/checkout.ts"), load: () => import("./bench/checkout.ts") },
  compare: { file: at("./bench/compare.ts"), load: () => import("./bench/compare.ts") },
});
