import { expect, it } from "vitest";
import { openSession } from "../../../src/service/admin/session.ts";

it("tells a write with an unreadable answer from one that was not done", async () => {
  const session = openSession(
    async () => ({
      kind: "unreadable",
      response: { status: 201, headers: {}, body: "" },
      why: "the answer is not UTF-8",
    }),
    "key",
    { where: "https://files.example.com", keyHint: "", close: async () => undefined },
  );
  const answer = await session.ask("createWorkspace", { body: { name: "Notes" } });
  expect(answer).toMatchObject({ kind: "trouble", trouble: { kind: "offline", code: "unreachable" } });
});
