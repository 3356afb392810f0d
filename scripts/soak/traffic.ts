/**
 * `npm run soak -- traffic [--seconds 60] [--seed 1] [--requests 3000]`: the same seeded requests of
 * twenty clients to a service on SQLite and to one on PostgreSQL, compared answer for answer, and
 * with openapi.json. Exit 1 at the first difference, with the request and both answers.
 */
import { parseArgs } from "node:util";
import pg from "pg";
import { PostgresStore } from "../../src/service/store/postgres/store.ts";
import { openSqlite } from "../../src/service/store/sqlite/store.ts";
import { openapiDocument } from "../../src/contract/api/openapi.ts";
import { OpenapiJudge } from "../../test/contract/openapi.ts";
import { PostgresServer } from "../../test/postgres/server.ts";
import { Dice } from "../../test/simulator/dice.ts";
import { compareTraffic, type Compared, type Side } from "../../test/traffic/compare.ts";
import { sideOn } from "../../test/traffic/side.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    requests: { type: "string", default: "3000" },
  },
});

const server = await PostgresServer.make();
if (typeof server === "string") throw new Error(server);

async function makeDatabase(name: string): Promise<string> {
  const client = new pg.Client({ connectionString: (server as PostgresServer).url("postgres") });
  await client.connect();
  await client.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`);
  await client.end();
  return (server as PostgresServer).url(name);
}

const judge = new OpenapiJudge(openapiDocument());
const judged = (side: Side): Side => ({ ...side, wire: judge.watch(side.wire) });

async function compareStores(seed: number): Promise<Compared> {
  const url = await makeDatabase(`traffic_${seed}`);
  const postgres = await PostgresStore.open({ url, random: new Dice(1).bytes });
  const sqlite = openSqlite(":memory:", { random: new Dice(2).bytes });
  try {
    const plan = { seed, requests: Number(values.requests) };
    return await compareTraffic(judged(sideOn("sqlite", sqlite, 3)), judged(sideOn("postgres", postgres, 4)), plan);
  } finally {
    await Promise.all([sqlite.close(), postgres.close()]);
  }
}

const began = performance.now();
const answers = new Set<string>();
let [requests, isAlike] = [0, true];
try {
  for (let seed = Number(values.seed); isAlike && performance.now() - began < Number(values.seconds) * 1_000; seed++) {
    const compared = await compareStores(seed);
    requests += compared.requests;
    for (const answer of compared.answers.keys()) answers.add(answer);
    const difference = compared.difference ?? judge.differences[0] ?? null;
    isAlike = difference === null;
    if (!isAlike) console.log(`seed ${seed}, after ${compared.requests} requests:\n${difference}`);
  }
} finally {
  await server.end();
}
const counts = `${requests.toLocaleString("en")} requests, ${answers.size} routes with their statuses, ${judge.judged.toLocaleString("en")} exchanges judged by openapi.json`;
console.log(`${counts}: ${isAlike ? "answered alike" : "DIFFERENT"}`);
process.exit(isAlike ? 0 : 1);
