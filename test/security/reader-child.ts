import { readFileSync } from "node:fs";
import { createWire } from "../../src/mirror/remote/wire.ts";
import { createRemote } from "../../src/mirror/remote/client.ts";
import { systemClock } from "../../src/common/clock.ts";
import { NO_LOG } from "../simulator/quiet-ports.ts";

/**
 * A client in its own process, whose memory can be measured. Lists files or reads a file; prints
 * its result and its peak of memory.
 */

const [url = "", what = ""] = process.argv.slice(2);
const clock = systemClock();
const remote = createRemote({
  wire: createWire({ baseUrl: url }),
  key: "mdm_key",
  // Sleeps end immediately, so that the test does not wait for retries.
  clock: { now: () => clock.now(), monotonic: () => clock.monotonic(), sleep: async () => undefined },
  random: { fraction: () => 0, hex: (n) => "0".repeat(n) },
  log: NO_LOG,
  traits: null,
});
const before = process.memoryUsage.rss();
const fault =
  what === "files"
    ? (await remote.listFiles({ kind: "none" })).fault
    : await remote.getFile("doc_1" as never).then((answer) => (answer.ok ? null : answer.fault));
/** The peak of this program alone: `maxRSS` includes the memory of the process before `exec`. */
const peak = Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) * 1024;
process.stdout.write(JSON.stringify({ fault, before, peak }));
await remote.close();
process.exit(0);
