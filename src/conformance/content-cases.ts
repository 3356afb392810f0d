/** Cases about content: which content is permitted, and that the service returns it unchanged. */

import assert from "node:assert/strict";
import { type ContractCase, defineAssumedCase, defineCase } from "./world.ts";

const toUnicodeEscapes = (text: string) =>
  text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

export const contentCases: readonly ContractCase[] = [
  defineCase("takes a text of exactly 51,200 characters", async ({ api, folder }) => {
    for (const length of [51_199, 51_200]) {
      const file = await api.file(`${folder.path}/${length}.md`, "x".repeat(length));
      const savedFile = (await api.edit(file.id, file.lastChangeId, "y".repeat(length))).edited();
      assert.equal(savedFile.content.length, length);
    }
  }),
  defineCase("refuses a text of 51,201 characters, and names its length and the limit", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`);
    const text = "x".repeat(51_201);
    for (const reply of [
      await api.post("/v1/files", { path: `${folder.path}/b.md`, content: text }),
      await api.post("/v1/files", { parentId: folder.id, name: "b.md", content: text }),
      await api.edit(file.id, file.lastChangeId, text),
    ]) {
      const problem = reply.problem("content_too_large", "/content");
      assert.equal(problem.errors?.[0]?.code, "too_long");
      assert.match(problem.errors?.[0]?.detail ?? "", /51201.*51200/);
    }
    assert.deepEqual(await api.read(file.id), { ...file, content: "text\n" });
  }),
  defineAssumedCase("counts an astral character as one", async ({ api, folder }) => {
    const text = "😀".repeat(51_200);
    const file = await api.file(`${folder.path}/a.md`, text);
    assert.equal((await api.read(file.id)).content, text);
    const refusedReply = await api.post("/v1/files", { path: `${folder.path}/b.md`, content: `${text}x` });
    refusedReply.problem("content_too_large", "/content");
  }),
  defineAssumedCase("takes the longest text and path in their longest spelling", async ({ api, folder }) => {
    const names = Array.from({ length: 15 }, (_, i) => String(i).padEnd(250, "n")).join("/");
    const path = `${folder.path}/${names}/a.md`;
    const text = "😀".repeat(51_200);
    const requestBody = `{"path":"${toUnicodeEscapes(path)}","content":"${toUnicodeEscapes(text)}"}`;
    const file = (await api.post("/v1/files", requestBody)).ok(201);
    assert.equal((await api.read(file.id)).content, text);
  }),
  defineCase("gives back every text unchanged", async ({ api, folder }) => {
    const texts = [
      "\r\nCRLF\r\n",
      "\ufeffBOM",
      "no final newline",
      "\n\n\n",
      "caf\u00e9 cafe\u0301",
      "\u2028\u2029\u0085",
      "😀👨‍👩‍👧",
      "\u0001\u001f\u007f",
    ];
    for (const [i, text] of [...texts, "日本語\n".repeat(5_000), 'a\rb\tc\\"/'].entries()) {
      const file = await api.file(`${folder.path}/${i}.md`, text);
      assert.equal((await api.read(file.id)).content, text);
      const savedFile = (await api.edit(file.id, file.lastChangeId, `${text}!`)).edited();
      assert.equal(savedFile.content, `${text}!`);
      assert.equal((await api.read(file.id)).content, `${text}!`);
    }
  }),
  defineAssumedCase("refuses content that is not text", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`);
    for (const text of ['"a\\u0000b"', '"a\\ud800b"', '"\\udc00"']) {
      const body = `{"path":"${folder.path}/b.md","content":${text}}`;
      (await api.post("/v1/files", body)).invalid("/content");
      const edit = `{"baseChangeId":"${file.lastChangeId}","content":${text}}`;
      (await api.put(`/v1/files/${file.id}/content`, edit)).invalid("/content");
    }
  }),
];
