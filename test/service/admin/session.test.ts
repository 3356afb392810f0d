import { expect, it } from "vitest";
import { openSession } from "../../../src/service/admin/session.ts";

it.each([
  [201, "unreachable"],
  [401, "unauthenticated"],
])("judges a write whose answer of %d cannot be read: %s", async (status, code) => {
  const session = openSession(
    async () => ({ kind: "unreadable", response: { status, headers: {}, body: "" }, why: "the answer is not UTF-8" }),
    "key",
    { where: "https://files.example.com", keyHint: "", close: async () => undefined },
  );
  const answer = await session.ask("createWorkspace", { body: { name: "Notes" } });
  expect(answer).toMatchObject({ kind: "trouble", trouble: { kind: "offline", code } });
});
