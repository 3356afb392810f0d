import assert from "node:assert/strict";
import { expectOk, expectProblem } from "../../../src/conformance/world.ts";
import { adminTest, type ContractTest } from "./world.ts";

export const adminSettingsTests: readonly ContractTest[] = [
  adminTest("shows settings, and changes those that are sent", async ({ admin }) => {
    const { api } = admin();
    const before = expectOk(await api.get("/admin/settings"), 200);
    assert.deepEqual(Object.keys(before).sort(), ["keepVersions", "keepVersionsDays", "rateLimit"]);
    const changed = expectOk(await api.patch("/admin/settings", { keepVersionsDays: 30 }), 200);
    assert.deepEqual(changed, { ...before, keepVersionsDays: 30 });
    const rateLimit = { requests: 1_000_000, seconds: 1 };
    assert.deepEqual(expectOk(await api.patch("/admin/settings", { rateLimit }), 200), { ...changed, rateLimit });
    assert.deepEqual(expectOk(await api.patch("/admin/settings", before), 200), before);
    expectProblem(await api.patch("/admin/settings", { keepVersionsDays: -1 }), "invalid_request", "/keepVersionsDays");
    expectProblem(
      await api.patch("/admin/settings", { rateLimit: { requests: 0, seconds: 1 } }),
      "invalid_request",
      "/rateLimit",
    );
    expectProblem(await api.patch("/admin/settings", { rateLimits: null }), "invalid_request", "/rateLimits");
    assert.deepEqual(expectOk(await api.get("/admin/settings"), 200), before);
  }),
  adminTest("lists workspaces and refuses unknown ones", async ({ admin }) => {
    const { api, workspaceId } = admin();
    const listed = expectOk(await api.get("/admin/workspaces"), 200).data;
    assert.equal(listed.find((each: { id: string }) => each.id === workspaceId).state, "open");
    expectProblem(await api.patch("/admin/workspaces/wsp_no", { state: "open" }), "not_found");
    expectProblem(await api.patch(`/admin/workspaces/${workspaceId}`, { state: "gone" }), "invalid_request", "/state");
    expectProblem(
      await api.patch(`/admin/workspaces/${workspaceId}`, { state: "open", retryAfter: -1 }),
      "invalid_request",
      "/retryAfter",
    );
    expectProblem(await api.delete("/admin/workspaces/wsp_no"), "not_found");
    expectProblem(await api.get("/admin/reviews?workspaceId=wsp_no"), "not_found");
    expectProblem(await api.get("/admin/reviews?status=maybe"), "invalid_request", "/status");
    expectProblem(await api.get("/admin/nothing"), "not_found");
  }),
];
