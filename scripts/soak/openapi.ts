/**
 * `npm run soak -- openapi [--seconds 900] [--seed 1] [--profile NAME]`: sends the contract suite
 * and random requests of several keys through Prism, a proxy of Stoplight that compares each
 * request and answer with `src/contract/openapi.json`. A violation is an answer that the document
 * does not describe, or an invalid request that the service accepts. Exit 1 if there is any.
 *
 * - `--profile NAME` (`test/variants/variant.ts`) makes the service answer like that deployment,
 *   which the document does not describe. Prism must then find violations.
 */
import { parseArgs } from "node:util";
import { Api, type Exchange } from "../../src/conformance/world.ts";
import { CONTRACT } from "../../test/contract/suite/all.ts";
import { runContractTest } from "../../test/contract/suite/world.ts";
import { fc } from "../../test/property.ts";
import { openWorld, requestTo } from "../../test/security/hostile-requests.ts";
import { PROFILES, readProfile } from "../../test/variants/variant.ts";
import { openOwn } from "../contract/opened.ts";
import { sendThrough, startPrism, Violations } from "./prism.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "900" },
    seed: { type: "string", default: "1" },
    profile: { type: "string" },
  },
});
/** Random requests in a round. */
const REQUESTS = 500;

const own = await openOwn(values.profile === undefined ? {} : PROFILES[readProfile(values.profile)]);
const prism = await startPrism(own.url);
const violations = new Violations();
const wire = violations.watch(sendThrough(prism.url, own.url));
const total = { rounds: 0, tests: 0, failed: 0, requests: 0, "not answered": 0 };
/**
 * Titles of tests that failed through the proxy, for example because it answers some requests
 * itself.
 */
const failed = new Set<string>();

try {
  const until = performance.now() + Number(values.seconds) * 1_000;
  for (; performance.now() < until; total.rounds++) {
    await runSuite(`r${total.rounds}`, until);
    await sendRandom(Number(values.seed) * 1_000 + total.rounds, until);
  }
} finally {
  await prism.end();
  await own.close();
}

async function runSuite(round: string, until: number): Promise<void> {
  const target = { ...own.target, wire };
  for (const [n, test] of CONTRACT.entries()) {
    if (performance.now() > until) return;
    total.tests++;
    try {
      await runContractTest(test, target, `${round}-${n}`);
    } catch {
      total.failed++;
      failed.add(test.title);
    }
  }
}

async function sendRandom(seed: number, until: number): Promise<void> {
  const world = await openWorld(async () => {
    const { key, workspaceId } = await own.service.admin.createWorkspace(`random ${seed}`);
    return { service: own.service, key, workspaceId, api: new Api(wire, key) };
  });
  const step = fc.tuple(fc.constantFrom(...Object.keys(world.keys)), requestTo(world));
  for (const [who, { method, path, body }] of fc.sample(step, { seed, numRuns: REQUESTS })) {
    if (performance.now() > until) return;
    const headers = { "x-api-key": world.keys[who]!.key, "content-type": "application/json" };
    await sendIfPossible({ method, path, headers, body: method === "GET" || method === "HEAD" ? null : body });
  }
}

/**
 * Sends a request. Does nothing if `fetch` cannot send it: some methods and paths are not HTTP, or
 * the proxy fails.
 */
async function sendIfPossible(request: Parameters<Exchange>[0]): Promise<void> {
  try {
    await wire(request);
    total.requests++;
  } catch {
    total["not answered"]++;
  }
}

const counts = { ...total, ...violations.counts };
console.log(
  Object.entries(counts)
    .map(([what, n]) => `${n.toLocaleString("en")} ${what}`)
    .join(", "),
);
for (const title of failed) console.log(`failed through the proxy: ${title}`);
for (const [what, n] of violations.found) console.log(`${n.toLocaleString("en")} × ${what}`);
console.log(violations.found.size === 0 ? "all exchanges are as openapi.json says" : "VIOLATIONS");
process.exit(violations.found.size === 0 ? 0 : 1);
