import assert from "node:assert/strict";
import { adminTest, type ContractTest } from "./world.ts";

export const adminSettingsTests: readonly ContractTest[] = [
  adminTest("shows settings, and changes those that are sent", async ({ admin }) => {
    const { api } = admin();
    const before = (await api.get("/admin/settings")).ok(200);
    assert.deepEqual(Object.keys(before).sort(), ["keepVersions", "keepVersionsDays", "rateLimit"]);
    const changed = (await api.patch("/admin/settings", { keepVersionsDays: 30 })).ok(200);
    assert.deepEqual(changed, { ...before, keepVersionsDays: 30 });
    const rateLimit = { requests: 1_000_000, seconds: 1 };
    assert.deepEqual((await api.patch("/admin/settings", { rateLimit })).ok(200), { ...changed, rateLimit });
    assert.deepEqual((await api.patch("/admin/settings", before)).ok(200), before);
    (await api.patch("/admin/settings", { keepVersionsDays: -1 })).invalid("/keepVersionsDays");
    (await api.patch("/admin/settings", { rateLimit: { requests: 0, seconds: 1 } })).invalid("/rateLimit");
    (await api.patch("/admin/settings", { rateLimits: null })).invalid("/rateLimits");
    assert.deepEqual((await api.get("/admin/settings")).ok(200), before);
  }),
  adminTest("lists workspaces and refuses unknown ones", async ({ admin }) => {
    const { api, workspaceId } = admin();
    const listed = (await api.get("/admin/workspaces")).ok(200).data;
    assert.equal(listed.find((each: { id: string }) => each.id === workspaceId).state, "open");
    (await api.patch("/admin/workspaces/wsp_no", { state: "open" })).problem("not_found");
    (await api.patch(`/admin/workspaces/${workspaceId}`, { state: "gone" })).invalid("/state");
    (await api.patch(`/admin/workspaces/${workspaceId}`, { state: "open", retryAfter: -1 })).invalid("/retryAfter");
    (await api.delete("/admin/workspaces/wsp_no")).problem("not_found");
    (await api.get("/admin/reviews?workspaceId=wsp_no")).problem("not_found");
    (await api.get("/admin/reviews?status=maybe")).invalid("/status");
    (await api.get("/admin/nothing")).problem("not_found");
  }),
];
