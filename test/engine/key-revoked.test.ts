import { expect, test } from "vitest";
import { createRig } from "../simulator/rig.ts";

const problem = (status: number, code: string) => ({
  status,
  headers: { "content-type": "application/problem+json" },
  body: JSON.stringify({ type: "x:y", title: "", status, code, detail: "no", requestId: "req_1" }),
});

test.each([
  [401, "unauthenticated", { kind: "locked-out", code: "unauthenticated" }],
  [404, "workspace_not_found", { kind: "locked-out", code: "workspace_not_found" }],
] as const)("a run whose writes are answered %d %s ends with that cause", async (status, code, fault) => {
  const rig = createRig(1, { fault: ({ method }) => (method === "GET" ? null : problem(status, code)) });
  const mirror = rig.mirror();
  mirror.write("note.md", "text\n");
  expect(await mirror.sync()).toMatchObject({ state: "offline", fault });
});
