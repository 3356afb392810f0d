import { expect, test } from "vitest";
import { openService } from "./fixture.ts";

async function start(links: "any" | "resolve") {
  const { api, service } = await openService({ links });
  const create = (path: string, content: string) => api.post("/v1/files", { path, content });
  return { api, service, create };
}

test("a text whose links lead nowhere is refused as a whole, by name, where links are judged", async () => {
  const { create } = await start("resolve");
  const made = await create("/b.md", "b\n");
  const { id } = made.json as { id: string };
  for (const text of [
    `[b](${id}#part) [b](/b.md) [web](https://example.org) [part](#part) [later](ref://later.md)\n`,
    "`[b](b.md)` is code\n",
    "[there](/)\n".replace("/", "/b.md"),
  ])
    expect((await create(`/${text.length}.md`, text)).status, text).toBe(201);
  const refused = await create("/a.md", "[b](b.md) [c](/none.md) [d](doc_00000000000000) [e](dir_00000000000000)\n");
  expect([refused.status, refused.json]).toMatchObject([
    400,
    {
      code: "invalid_request",
      errors: ["b.md", "/none.md", "doc_00000000000000", "dir_00000000000000"].map((said) => ({
        code: "unresolved_reference",
        pointer: "/content",
        detail: `content references a file or folder which cannot be resolved: ${JSON.stringify(said)}.`,
      })),
    },
  ]);
  expect((await create("/a.md", "[b](b.md)\n")).status).toBe(400);
});

test("an edit is judged as a new text is, and by default nothing is", async () => {
  const judging = await start("resolve");
  const { id, lastChangeId } = (await judging.create("/a.md", "a\n")).json as { id: string; lastChangeId: string };
  const put = (content: string) => judging.api.put(`/v1/files/${id}/content`, { baseChangeId: lastChangeId, content });
  expect((await put("[b](b.md)\n")).status).toBe(400);
  expect((await put(`[a](${id})\n`)).status).toBe(200);
  const open = await start("any");
  expect((await open.create("/a.md", "[b](b.md)\n")).status).toBe(201);
});
