import { expect, it } from "vitest";
import { openService } from "./fixture.ts";

/** What goes on beside a regex that looks at much. */

it("a regex lets others have their turn, and gives nothing that went away meanwhile", async () => {
  const { api, service } = await openService();
  const files = [];
  for (let n = 0; n < 40; n++)
    files.push(await api.file(`note-${n}.md`, `${"some plain words ".repeat(1_200)}\nend${n}\n`));
  await service.indexAll();
  const order: string[] = [];
  const searched = api.send("POST", "/v1/search/regex", { query: "^end[0-9]+$", limit: 500 }).then((reply) => {
    order.push("found");
    return reply;
  });
  const gone = api.send("DELETE", `/v1/files/${files[0]!.id}`).then(() => order.push("deleted"));
  const { status, json } = await searched;
  await gone;
  expect([status, order]).toEqual([200, ["deleted", "found"]]);
  expect(json.data.map(({ id }: { id: string }) => id)).toEqual(files.slice(1).map(({ id }) => id));
});
