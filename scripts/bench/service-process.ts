/**
 * The embedded service as a process, like `mdmirror serve`: `node service-process.ts DATA_FOLDER`.
 * Answers over IPC. It does not index for searches, because that would continue during the next
 * measurement.
 */
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import type { WireRequest } from "../../src/contract/wire.ts";
import { startHttp } from "../../src/service/http/server.ts";
import { importFolder } from "../../src/service/import/import.ts";
import { Service, type ServiceWire } from "../../src/service/service.ts";
import { SqliteStore } from "../../src/service/store/sqlite/store.ts";
import type { BenchMessage, Counted, ServiceMessage } from "./service.ts";

const folder = process.argv[2]!;
mkdirSync(folder, { recursive: true });
let pool = randomBytes(65_536);
const random = (bytes: number): Uint8Array => {
  if (bytes > pool.length) pool = randomBytes(65_536);
  const taken = pool.subarray(0, bytes);
  pool = pool.subarray(bytes);
  return taken;
};
const store = new SqliteStore({ folder }, { random, commits: "together" });
const service = new Service({ store, now: Date.now, random });

let tellPuts = false;
let counted = countNothing();

function countNothing() {
  return { requests: 0, byRoute: {} as Record<string, number> };
}

function note({ method, path }: WireRequest): void {
  const route = `${method} ${path.replace(/\?.*/s, "").replace(/\/(doc|dir)_[^/]+/, "/{id}")}`;
  counted.byRoute[route] = (counted.byRoute[route] ?? 0) + 1;
}

const handle: ServiceWire = async (request, fault) => {
  counted.requests++;
  if (tellPuts && request.method === "PUT") tell({ kind: "put", at: String(process.hrtime.bigint()) });
  note(request);
  return service.handle(request, fault);
};

function tell(message: ServiceMessage): void {
  process.send?.(message);
}

async function obey(ask: BenchMessage): Promise<unknown> {
  switch (ask.do) {
    case "workspace":
      return (await service.admin.createWorkspace(ask.name)).key;
    case "import":
      return (await importFolder({ service, key: ask.key }, ask.dir)).files;
    case "tell-puts":
      tellPuts = ask.on;
      return null;
    case "count": {
      const value: Counted = counted;
      counted = countNothing();
      return value;
    }
  }
}

const http = await startHttp({ handle });
process.on("message", (ask: BenchMessage) => {
  obey(ask).then(
    (value) => tell({ kind: "answer", value }),
    (error: unknown) => tell({ kind: "error", message: String(error) }),
  );
});
process.on("disconnect", () => process.exit(0));
tell({ kind: "ready", url: http.url });
