import { Api } from "../../../src/conformance/world.ts";
import { AdminApi, type ContractTest, type Target, type TestWorld } from "./world.ts";

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
