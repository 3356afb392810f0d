import type { Exchange, CaseSetup } from "../../../src/conformance/world.ts";
import type { Api } from "../../../src/conformance/world.ts";
import type { Admin } from "../../../src/service/admin/admin.ts";
import type { KeyGrant } from "../../../src/service/admin/operations.ts";

/** A test of the contract: a case that ships with the program, or one that needs /admin too. */
export type ContractTest = {
  readonly title: string;
  /** `admin`: needs the embedded service's /admin, hence its admin key. */
  readonly needs: "admin" | null;
  readonly run: (world: TestWorld) => Promise<void>;
};

/** The service that the tests judge. */
export type Target = {
  readonly wire: Exchange;
  /** A key with Full access to a workspace that tests may fill. */
  readonly key: string;
  readonly adminKey: string | null;
  /** True if a search may show a write some requests later. */
  readonly indexesLate: boolean;
};

/** A case's world, in a workspace of its own if the target has an admin key. */
export type TestWorld = CaseSetup & {
  /** @throws in a test that does not say that it needs the admin */
  readonly admin: () => AdminApi;
};

/** The embedded service's /admin, within the test's own workspace. */
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
