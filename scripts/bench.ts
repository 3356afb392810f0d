/**
 * `npm run bench [-- PART] [options]`: how fast mdmirror is. Without a part, ratios to bare loops
 * and to other programs; each part has its own options, named at the top of its file.
 */
import { runPart } from "./run-part.ts";

await runPart("bench", {
  ratios: () => import("./bench/ratios.ts"),
  service: () => import("./bench/serving.ts"),
  search: () => import("./bench/searching.ts"),
  indexing: () => import("./bench/indexing.ts"),
  watch: () => import("./bench/watching.ts").then(({ benchWatching }) => benchWatching()),
  compare: () => import("./bench/compare.ts"),
});
