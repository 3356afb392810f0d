import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startHttp } from "../../src/service/http/server.ts";
import type { AccessEntry } from "../../src/service/http/access-log.ts";
import { PostgresStore } from "../../src/service/store/postgres/store.ts";
import type { Service } from "../../src/service/service.ts";
import { SqliteStore } from "../../src/service/store/sqlite/store.ts";
import type { Store } from "../../src/service/store/store.ts";
import { Api } from "../../src/conformance/world.ts";
import { makeDatabase, whyNoPostgres } from "../postgres/database.ts";
import { makeKey, openService, seeded } from "./fixture.ts";
import { openConnection } from "./raw-http.ts";

/** A long search does not delay other requests, and they do not change its results. */

const DOCUMENTS = 40;
const LONG = `${"some plain words ".repeat(70)}\n`.repeat(30);

/** Counts the reads of a store, so that a test notices when a search reads. */
function counting(store: Store) {
  const counted = { reads: 0 };
  const read: Store["read"] = (work) => {
    counted.reads++;
    return store.read(work);
  };
  return {
    counted,
    store: new Proxy(store, { get: (target, name) => (name === "read" ? read : boundTo(target, name)) }),
  };
}

function boundTo(target: Store, name: string | symbol): unknown {
  const member: unknown = Reflect.get(target, name, target);
  return typeof member === "function" ? member.bind(target) : member;
}

/** Opens a service with long documents. Its searches continue only when the test begins a round. */
async function openStore(made: Store) {
  const { counted, store } = counting(made);
  const begins: (() => void)[] = [];
  const opened = await openService({ store, atNextRound: (begin) => void begins.push(begin) });
  const files = [];
  for (let n = 0; n < DOCUMENTS; n++) files.push(await opened.api.file(`note-${n}.md`, `${LONG}end${n}\n`));
  await opened.service.indexStep("all");
  /** Begins rounds until the search is answered. Returns the number of rounds. */
  const goOn = async (searched: Promise<unknown>, between = async () => undefined as unknown) => {
    let isOver = false;
    void searched.then(() => (isOver = true));
    for (let rounds = 0; ; ) {
      await quiet();
      if (isOver) return rounds;
      if (begins.length === 0) continue;
      expect(begins).toHaveLength(1);
      await between();
      rounds++;
      begins.shift()!();
    }
  };
  return { ...opened, files, counted, begins, goOn };
}

/**
 * Resolves when nothing continues by itself any more. A query of a database takes several turns of
 * the event loop.
 */
async function quiet(): Promise<void> {
  for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve));
}

type Opened = { readonly store: Store; readonly remove: () => unknown };

const STORES: Readonly<Record<string, () => Promise<Opened>>> = {
  SQLite: async () => ({
    store: new SqliteStore(":memory:", { random: seeded("service"), commits: "together" }),
    remove: () => undefined,
  }),
  PostgreSQL: async () => {
    const { url, remove } = await makeDatabase();
    return { store: await PostgresStore.open({ url, random: seeded("service") }), remove };
  },
};

const SEARCHES = {
  "by words": ["/v1/search/hybrid", { query: "plain words zebra", limit: 500 }],
  "by a regex": ["/v1/search/regex", { query: "^end[0-9]+$", limit: 500 }],
} as const;

/** The same searches without any match. */
const UNKNOWN = {
  "/v1/search/hybrid": { query: "aardvark quokka zebra", limit: 500 },
  "/v1/search/regex": { query: "^xqz[0-9]+$", limit: 500 },
} as const;

describe.each(Object.entries(STORES))("on %s", (name, open) => {
  describe.skipIf(name === "PostgreSQL" && whyNoPostgres !== null)("a search", () => {
    let ground: Awaited<ReturnType<typeof openStore>>;
    let remove: () => unknown;
    beforeAll(async () => {
      const opened = await open();
      remove = opened.remove;
      ground = await openStore(opened.store);
    });
    afterAll(async () => {
      await ground.service.close();
      await remove();
    });

    for (const [kind, [path, query]] of Object.entries(SEARCHES)) {
      it(`${kind} continues in rounds, between which all others are answered`, async () => {
        const { api, files, goOn, begins } = ground;
        const searched = api.post(path, query);
        const read = async () => expect((await api.get(`/v1/files/${files[7]!.id}`)).status).toBe(200);
        const rounds = await goOn(searched, read);
        expect(rounds).toBeGreaterThan(10);
        expect((await searched).json.data).toHaveLength(DOCUMENTS);
        expect(begins).toEqual([]);
      });

      it(`${kind} ends when its client leaves, and reads nothing more`, async () => {
        const { service, key, begins, counted, goOn } = ground;
        const { entry, close, port } = await listen(service);
        const { socket } = openConnection(port);
        const body = JSON.stringify(query);
        socket.write(
          `POST ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        );
        while (begins.length === 0) await quiet();
        socket.destroy();
        expect((await entry).status).toBe(499);
        const before = counted.reads;
        await goOn(Promise.resolve());
        begins.shift()?.();
        await quiet();
        expect([begins.length, counted.reads]).toEqual([0, before]);
        await close();
      });
    }

    it("writes out a long answer in rounds, too", async () => {
      const { api, goOn } = ground;
      const [path, query] = SEARCHES["by words"];
      const roundsOf = async (limit: number) => goOn(api.post(path, { ...query, limit }));
      const ofOne = await roundsOf(1);
      // Rounds depend on counted steps, not on the machine. An answer with all documents takes many
      // more rounds.
      expect(await roundsOf(DOCUMENTS)).toBeGreaterThan(ofOne + 12);
    });

    it("does not work more, however much others have", async () => {
      const { service, begins, counted, goOn } = ground;
      const { workspaceId } = await service.admin.createWorkspace("empty");
      const { key } = await makeKey({ service, workspaceId }, { on: null, level: "read" });
      const api = new Api(service.handle, key);
      const reads = async (path: string, body: object) => {
        const before = counted.reads;
        const searched = api.post(path, body);
        expect(await goOn(searched)).toBe(0);
        expect((await searched).json.data).toEqual([]);
        return counted.reads - before;
      };
      for (const [path, query] of Object.values(SEARCHES))
        expect(await reads(path, query)).toBe(await reads(path, UNKNOWN[path]));
      expect(begins).toEqual([]);
    });

    it("by a regex gives nothing that went away meanwhile", async () => {
      const { api, files, goOn } = ground;
      const searched = api.post(...SEARCHES["by a regex"]);
      let isGone = false;
      await goOn(searched, async () => {
        if (!isGone) await api.delete(`/v1/files/${files[0]!.id}`);
        isGone = true;
      });
      const ids = (await searched).json.data.map(({ id }: { id: string }) => id);
      expect(ids).toEqual(files.slice(1).map(({ id }) => id));
    });
  });
});

/** Serves a service. Returns its port, and a record of its only request. */
async function listen(service: Service) {
  const { promise: entry, resolve } = Promise.withResolvers<AccessEntry>();
  const server = await startHttp(service, { log: resolve });
  return { entry, port: Number(new URL(server.url).port), close: () => server.close() };
}
