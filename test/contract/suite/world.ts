import { Api, type CaseSetup, type Exchange } from "../../../src/conformance/world.ts";
import type { Admin } from "../../../src/service/admin/admin.ts";
import type { KeyGrant } from "../../../src/service/admin/operations.ts";
import type { Level } from "../../../src/service/store/rows.ts";

/** A test of the contract: one of the cases that are part of mdmirror, or one that needs /admin. */
export type ContractTest = {
  readonly title: string;
  /** `admin`: the test needs the embedded service's /admin and its admin key. */
  readonly needs: "admin" | null;
  readonly run: (world: TestWorld) => Promise<void>;
};

/** The service to be tested. */
export type Target = {
  readonly wire: Exchange;
  /** A key with Full access to a workspace that tests may change. */
  readonly key: string;
  readonly adminKey: string | null;
  /** True if a search may find a written document only some requests later. */
  readonly indexesLate: boolean;
};

/** What a test works with. It has its own workspace if the target has an admin key. */
export type TestWorld = CaseSetup & {
  /** @throws if the test is not declared by `adminTest` */
  readonly admin: () => AdminApi;
};

/** The embedded service's /admin, for the test's own workspace. */
class AdminApi {
  readonly api: Api;
  readonly workspaceId: string;

  constructor(api: Api, workspaceId: string) {
    this.api = api;
    this.workspaceId = workspaceId;
  }

  async key(grants: readonly KeyGrant[], more: object = {}): Promise<ReturnType<Admin["createWorkspace"]>> {
    return (await this.api.post("/admin/keys", { workspaceId: this.workspaceId, grants, ...more })).ok(201);
  }

  async state(state: string, retryAfter?: number): Promise<void> {
    const body = { state, ...(retryAfter === undefined ? {} : { retryAfter }) };
    (await this.api.patch(`/admin/workspaces/${this.workspaceId}`, body)).ok(200);
  }
}

export function adminTest(title: string, run: ContractTest["run"]): ContractTest {
  return { title, needs: "admin", run };
}

/** Returns the API for a new key that has that level for the test's folder. */
export async function withGrant({ as, admin, folder }: TestWorld, level: Level): Promise<Api> {
  return as((await admin().key([{ on: folder.id, level }])).key);
}

/**
 * Runs one test in a new workspace or folder, and removes that afterwards.
 * @throws what the test throws
 */
export async function runContractTest(test: ContractTest, target: Target, unique: string): Promise<void> {
  const admin = target.adminKey === null ? null : await ownWorkspace(target, target.adminKey, unique);
  const api = new Api(target.wire, admin?.key ?? target.key);
  const folder = await api.folder(`/contract-${unique}`);
  const world: TestWorld = {
    api,
    folder,
    indexesLate: target.indexesLate,
    as: (key) => new Api(target.wire, key),
    admin: () => {
      if (admin === null || test.needs !== "admin") throw new Error("the test does not say that it needs the admin");
      return admin.admin;
    },
  };
  try {
    await test.run(world);
  } finally {
    if (admin !== null) await admin.admin.api.delete(`/admin/workspaces/${admin.admin.workspaceId}`);
    else await api.delete(`/v1/folders/${folder.id}?recursive=true`);
  }
}

async function ownWorkspace(target: Target, adminKey: string, name: string): Promise<{ key: string; admin: AdminApi }> {
  const api = new Api(target.wire, adminKey);
  const made = (await api.post("/admin/workspaces", { name })).ok(201);
  return { key: made.key, admin: new AdminApi(api, made.workspaceId) };
}
