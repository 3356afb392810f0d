import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PostgresStore } from "../../../src/service/store/postgres/store.ts";
import { makeDatabase, whyNoPostgres } from "../../postgres/database.ts";
import { fc, runs } from "../../property.ts";
import { adminRequest, openWorld, requestTo } from "../../security/hostile-requests.ts";
import { ADMIN_KEY, type Opened, openService, seeded } from "../fixture.ts";
import { connect } from "./fixture.ts";

/** Hostile requests of several keys and of the administrator, sent to both stores. */

const openNew = () => openService({ database: ":memory:" });

const EVERYTHING = "workspaces, folders, files, changes, keys, grants, kept_grants, search_texts, search_queue";
const world = await openWorld();
const ADMIN = "the administrator";
const step = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(fc.constantFrom(...Object.keys(world.keys)), requestTo(world)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant(ADMIN), adminRequest(world.workspaceId)) },
);

describe.skipIf(whyNoPostgres !== null)("on PostgreSQL", () => {
  let database: Awaited<ReturnType<typeof makeDatabase>>;
  let store: PostgresStore;

  beforeAll(async () => {
    database = await makeDatabase();
    store = await PostgresStore.open({ url: database.url, random: seeded("service") });
  });
  afterAll(async () => {
    await store.close();
    await database.remove();
  });

  /** Opens a service like `openService`, with the same random numbers. */
  function open(): Promise<Opened> {
    const random = seeded("service");
    // A new database would draw its secret here.
    random(32);
    return openService({ store, random });
  }

  it("a sequence of requests is answered word for word as on SQLite", async () => {
    const client = await connect(database.url);
    type Steps = readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[];
    const ask = async ({ service, keys }: Awaited<ReturnType<typeof openWorld>>, steps: Steps) => {
      const answers = [];
      for (const [who, sent] of steps) {
        const headers = { "x-api-key": who === ADMIN ? ADMIN_KEY : keys[who]!.key };
        const { status, headers: received, body } = await service.answer({ ...sent, headers });
        answers.push({ status, told: received, body });
      }
      return answers;
    };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        await client.query(`TRUNCATE ${EVERYTHING} RESTART IDENTITY`);
        expect(await ask(await openWorld(open), steps)).toEqual(await ask(await openWorld(openNew), steps));
      }),
      { numRuns: runs(6) },
    );
  });
});
