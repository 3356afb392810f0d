import type { Exchange, CaseSetup } from "../../../src/conformance/world.ts";
import type { Api } from "../../../src/conformance/world.ts";
import type { Admin } from "../../../src/service/admin/admin.ts";
import type { KeyGrant } from "../../../src/service/admin/operations.ts";

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
export class AdminApi {
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
