/**
 * Runs the contract suite against any deployment:
 * node scripts/test-contract.ts --url URL --key-file FILE [--admin-key-file FILE] [--only TEXT]
 * Without --url, against a service of its own in a temporary folder, over HTTP. The tests make
 * folders `contract-…` at the root and remove them. Those that need other keys, reviews or states
 * run with --admin-key-file alone, each in a workspace of its own. Exit code: 0 all passed, 1 some
 * failed, 2 usage.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openData } from "../src/server/data.ts";
import { startHttp } from "../src/server/http.ts";
import { CONTRACT } from "../test/contract/suite/all.ts";
import { fetchWire } from "../test/contract/suite/fetch-wire.ts";
import { runContractTest } from "../test/contract/suite/run.ts";
import type { Target } from "../test/contract/suite/world.ts";

type Opened = { readonly target: Target; readonly url: string; close(): Promise<void> };

async function openOwn(): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), "mdmirror-contract-"));
  const data = openData(folder);
  const server = await startHttp(data.service);
  return {
    target: { wire: fetchWire(server.url), key: data.key, adminKey: readKey(data.adminKeyFile) },
    url: server.url,
    close: async () => {
      await server.close();
      data.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function openOther(url: string, keyFile: string, adminKeyFile: string | undefined): Opened {
  const adminKey = adminKeyFile === undefined ? null : readKey(adminKeyFile);
  const wire = fetchWire(url.replace(/\/$/, ""));
  return { target: { wire, key: readKey(keyFile), adminKey }, url, close: async () => undefined };
}

function readKey(file: string): string {
  return readFileSync(file, "utf8").trim();
}

async function run({ target, url }: Opened, only: string): Promise<number> {
  const stamp = Date.now().toString(36);
  const chosen = CONTRACT.filter((test) => test.title.includes(only));
  let passed = 0;
  let skipped = 0;
  const failed: string[] = [];
  for (const [i, test] of chosen.entries()) {
    if (test.needs === "admin" && target.adminKey === null) {
      skipped++;
      continue;
    }
    try {
      await runContractTest(test, target, `${stamp}-${i}`);
      passed++;
    } catch (error) {
      failed.push(test.title);
      console.log(`FAILED  ${test.title}\n        ${(error as Error).message.replaceAll("\n", "\n        ")}`);
    }
  }
  const left = skipped === 0 ? "" : `, ${skipped} skipped (they need --admin-key-file)`;
  console.log(`contract: ${passed} passed, ${failed.length} failed${left}, of ${chosen.length}, against ${url}`);
  return failed.length === 0 ? 0 : 1;
}

const { values } = parseArgs({
  options: {
    url: { type: "string" },
    "key-file": { type: "string" },
    "admin-key-file": { type: "string" },
    only: { type: "string", default: "" },
  },
});

if (values.url !== undefined && values["key-file"] === undefined) {
  console.error("usage: test-contract.ts --url URL --key-file FILE [--admin-key-file FILE] [--only TEXT]");
  process.exitCode = 2;
} else {
  const opened =
    values.url === undefined ? await openOwn() : openOther(values.url, values["key-file"]!, values["admin-key-file"]);
  process.exitCode = await run(opened, values.only);
  await opened.close();
}
