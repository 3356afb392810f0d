import assert from "node:assert/strict";
import { type ContractCase, defineAssumedCase } from "./world.ts";

/** Cases about links that a service must store unchanged, even if it checks links. */
export const linkCases: readonly ContractCase[] = [
  defineAssumedCase("keeps links by id and by absolute path as they are", async ({ api, folder }) => {
    const target = await api.file(`${folder.path}/target.md`);
    const links = `[id](${target.id}) [folder](${folder.id}) [path](${target.path})\n`;
    const file = await api.file(`${folder.path}/links.md`, links);
    assert.equal((await api.read(file.id)).content, links);
    const changedLinks = `${links}\n[again](${target.path})\n`;
    assert.equal((await api.edit(file.id, file.lastChangeId, changedLinks)).edited().content, changedLinks);
  }),
  defineAssumedCase("leaves links with a scheme, anchors and what is in code alone", async ({ api, folder }) => {
    const text = [
      "[web](https://example.org/a.md) [mail](mailto:a@example.org) [inert](ref://later.md) [here](#anchor)",
      "`[code](customers.md)`",
      "```md\n[fenced](../tables/index.md)\n```",
      "",
    ].join("\n\n");
    const file = await api.file(`${folder.path}/plain.md`, text);
    assert.equal((await api.read(file.id)).content, text);
  }),
];
