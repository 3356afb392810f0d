import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { combineByMerge } from "../../src/server/combine.ts";
import { createService, type Service, type ServiceOptions } from "../../src/server/service.ts";
import { Api } from "../contract/suite/world.ts";
import { rethrow } from "../simulator/quiet-ports.ts";

/** What the tests of the service stand on. */

/** Chance from a seed, so that a failure can be repeated. */
export function seeded(seed: string): (bytes: number) => Uint8Array {
  let n = 0;
  return (bytes) => createHash("shake256", { outputLength: bytes }).update(`${seed} ${n++}`).digest();
}

export const ADMIN_KEY = "mdm_admin_of-the-service-tests";

export type Opened = {
  readonly service: Service;
  readonly key: string;
  readonly workspaceId: string;
  readonly api: Api;
};

/** A service in memory whose clock stands still; what becomes a 500 is thrown. */
export function openService(options: Partial<ServiceOptions> = {}): Opened {
  const service = createService({
    database: ":memory:",
    now: () => 0,
    random: seeded("service"),
    combine: combineByMerge,
    adminKey: ADMIN_KEY,
    onFault: rethrow,
    ...options,
  });
  const { key, workspaceId } = service.admin.createWorkspace("main");
  return { service, key, workspaceId, api: new Api(service.handle, key) };
}

/** A folder of the test's own, removed when it is finished. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "mdmirror-service-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
