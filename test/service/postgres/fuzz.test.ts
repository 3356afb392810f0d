import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { combineByMerge } from "../../../src/service/files/combine.ts";
import { PostgresStore } from "../../../src/service/store/postgres/store.ts";
import { loadRegexEngine } from "../../../src/service/search/search.ts";
import { createService } from "../../../src/service/service.ts";
import { Api } from "../../contract/suite/world.ts";
import { makeDatabase, whyNoPostgres } from "../../postgres/database.ts";
import { fc } from "../../property.ts";
import { rethrow } from "../../simulator/quiet-ports.ts";
import { ADMIN_KEY, type Opened, openService, seeded } from "../fixture.ts";
import { answersAdminSoundly, answersSoundly, leavesOthersAlone } from "../fuzz-laws.ts";
import { body, type HostileGround, hostileGround, method, target } from "../hostile-requests.ts";
import { connect } from "./ground.ts";

/** The fuzz of the service, on PostgreSQL; and the same requests to both stores. */

const EVERYTHING = "workspaces, folders, files, changes, keys, grants, kept_grants, search_texts, search_queue";

describe.skipIf(whyNoPostgres !== null)("on PostgreSQL", () => {
  let database: Awaited<ReturnType<typeof makeDatabase>>;
  let store: PostgresStore;
  let ground: HostileGround;

  beforeAll(async () => {
    await loadRegexEngine();
    database = await makeDatabase();
    store = await PostgresStore.open({ url: database.url, random: seeded("service") });
    ground = await hostileGround(open);
  });
  afterAll(async () => {
    await store.close();
    await database.remove();
  });

  /** As `openService`, with the same chance. */
  async function open(): Promise<Opened> {
    const random = seeded("service");
    // What a new database takes for its secret.
    random(32);
    const more = { now: () => 0, combine: combineByMerge, adminKey: ADMIN_KEY, onFault: rethrow };
    const service = createService({ store, random, ...more });
    const { key, workspaceId } = await service.admin.createWorkspace("main");
    return { service, key, workspaceId, api: new Api(service.handle, key) };
  }

  it("whatever is sent is answered as the document says", async () => {
    const { codes } = await answersSoundly(ground, 1_000);
    expect(codes).toContain("200");
  });

  it("whatever is sent leaves the other workspace as it was", () => leavesOthersAlone(ground));

  it("whatever is sent is answered alike under /admin", () => answersAdminSoundly(ground, 500));

  it("a sequence of requests is answered word for word as on SQLite", async () => {
    const client = await connect(database.url);
    const command = fc.tuple(method, target, body);
    const ask = async ({ service, key }: Opened, commands: readonly [string, string, string | null][]) => {
      const answers = [];
      for (const [m, path, sent] of commands) {
        const answer = await service.answer({ method: m, path, headers: { "x-api-key": key }, body: sent });
        // A store that remembers what it showed gives the same body in parts.
        const { status, headers, body } = answer;
        answers.push({ status, headers, body });
      }
      return answers;
    };
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 15 }), async (commands) => {
        await client.query(`TRUNCATE ${EVERYTHING} RESTART IDENTITY`);
        expect(await ask(await open(), commands)).toEqual(await ask(await openService(), commands));
      }),
      { numRuns: 30 },
    );
  });
});
