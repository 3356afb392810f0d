import assert from "node:assert/strict";
import { SHELL_METACHARACTERS } from "../contract/names.ts";
import type { ProblemCode } from "../contract/problem.ts";
import {
  type CaseSetup,
  type CheckedReply,
  type ContractCase,
  createItem,
  defineAssumedCase,
  defineCase,
  listIds,
} from "./world.ts";

/**
 * A kind of request that contains a name. Each name of this file is tested with each kind of
 * request.
 */
type WriteCase = {
  readonly kind: "file" | "folder";
  readonly description: string;
  readonly pointer: string;
  readonly send: (setup: CaseSetup, name: string) => Promise<CheckedReply>;
};

const WRITE_CASES = (["file", "folder"] as const).flatMap((kind): WriteCase[] => {
  const url = `/v1/${kind}s`;
  const content = kind === "file" ? { content: "" } : {};
  return [
    {
      kind,
      description: `POST ${url} by path`,
      pointer: "/path",
      send: ({ api, folder }, name) => api.post(url, { path: `${folder.path}/${name}`, ...content }),
    },
    {
      kind,
      description: `POST ${url} in a ${kind === "file" ? "folder" : "parent"}`,
      pointer: "/name",
      send: ({ api, folder }, name) => api.post(url, { parentId: folder.id, name, ...content }),
    },
    {
      kind,
      description: `PATCH ${url}/{id}`,
      pointer: "/name",
      send: async (setup, name) => {
        const stem = `${setup.folder.path}/from-${Buffer.from(name).toString("hex").slice(0, 60)}`;
        return setup.api.patch(`${url}/${await createItem(setup, `${kind}s`, stem)}`, { name });
      },
    },
  ];
});

const endingFor = (kind: WriteCase["kind"]) => (kind === "file" ? ".md" : "");

const lengthCases = WRITE_CASES.flatMap((write) => [
  defineCase(`takes a name of 254 and of 255 characters: ${write.description}`, async (setup) => {
    for (const [i, length] of [254, 255].entries()) {
      const name = String(i).repeat(length - endingFor(write.kind).length) + endingFor(write.kind);
      const reply = await write.send(setup, name);
      assert.equal(reply.status < 300, true, reply.text);
      assert.equal(reply.json.path, `${setup.folder.path}/${name}`);
    }
  }),
  defineCase(`refuses a name of 256 characters: ${write.description}`, async (setup) => {
    const reply = await write.send(setup, "n".repeat(256 - endingFor(write.kind).length) + endingFor(write.kind));
    const problem = reply.invalid(write.pointer);
    assert.equal(problem.errors?.[0]?.code, "too_long");
  }),
  defineAssumedCase(`counts a name in code points: ${write.description}`, async (setup) => {
    const stem = "😀".repeat(255 - endingFor(write.kind).length);
    assert.equal((await write.send(setup, stem + endingFor(write.kind))).status < 300, true);
    (await write.send(setup, `${stem}x${endingFor(write.kind)}`)).invalid(write.pointer);
  }),
]);

/**
 * Names that every request must refuse, with the reason for the refusal. `@` in a name is replaced
 * by the extension.
 */
const ILLEGAL_NAMES: readonly (readonly [characters: string, names: readonly string[]])[] = [
  ["spaces and other white space", ["a b@", " a@", "a\u00a0b@", "a\u3000b@", "a\u2028b@", "a\u200bb@", "\ufeffa@"]],
  [
    "tabs, line ends and other control characters",
    ["a\tb@", "a\nb@", "a\u0000b@", "a\u001bb@", "a\u007fb@", "a\u0085b@"],
  ],
  ["shell metacharacters", Array.from(SHELL_METACHARACTERS, (character) => `a${character}b@`)],
  ["a backslash", ["a\\b@"]],
  ["a lone surrogate", ["a\ud800b@", "\udc00@"]],
  ["nothing", [""]],
  ["dots alone", [".", ".."]],
];

const illegalNameCases = WRITE_CASES.flatMap((write) =>
  ILLEGAL_NAMES.map(([characters, names]) =>
    defineCase(`refuses a name of or with ${characters}: ${write.description}`, async (setup) => {
      for (const name of names) {
        const reply = await write.send(setup, name.replace("@", endingFor(write.kind)));
        reply.invalid(write.pointer);
      }
    }),
  ),
);

const slashCases = WRITE_CASES.filter((write) => write.pointer === "/name").map((write) =>
  defineCase(`refuses a slash in a name: ${write.description}`, async (setup) => {
    for (const name of ["a/b", "/a", "a/"]) {
      (await write.send(setup, name + endingFor(write.kind))).invalid("/name");
    }
  }),
);

const endingCases = WRITE_CASES.flatMap((write) => {
  const code: ProblemCode = write.pointer === "/path" ? "type_mismatch" : "invalid_request";
  const names = write.kind === "file" ? ["plain", "a.MD", "a.md.txt", "a.Md", "amd"] : ["a.md"];
  const reason = write.kind === "file" ? "that does not end in lowercase .md" : "that ends in .md";
  return defineCase(`answers ${code} to a name ${reason}: ${write.description}`, async (setup) => {
    for (const name of names) (await write.send(setup, name)).problem(code, write.pointer);
  });
});

const otherNameCases: readonly ContractCase[] = [
  defineCase("refuses a folder name that starts with a dot, and takes such a file", async ({ api, folder }) => {
    (await api.post("/v1/folders", { parentId: folder.id, name: ".git" })).invalid("/name");
    (await api.post("/v1/folders", { path: `${folder.path}/.git/x` })).invalid("/path");
    (await api.post("/v1/files", { path: `${folder.path}/.git/x.md`, content: "" })).invalid("/path");
    assert.equal((await api.file(`${folder.path}/.hidden.md`)).path, `${folder.path}/.hidden.md`);
  }),
  defineAssumedCase("keeps names that differ in case apart", async ({ api, folder }) => {
    const lowerCaseFile = await api.file(`${folder.path}/readme.md`, "lower");
    const upperCaseFile = await api.file(`${folder.path}/README.md`, "upper");
    assert.equal((await api.read(lowerCaseFile.id)).content, "lower");
    assert.deepEqual(await api.paths("files", { path: upperCaseFile.path }), [upperCaseFile.path]);
  }),
  defineAssumedCase("keeps composed and decomposed names apart, byte for byte", async ({ api, folder }) => {
    const composedFile = await api.file(`${folder.path}/caf\u00e9.md`, "nfc");
    const decomposedFile = await api.file(`${folder.path}/cafe\u0301.md`, "nfd");
    assert.equal(composedFile.path, `${folder.path}/caf\u00e9.md`);
    assert.equal(decomposedFile.path, `${folder.path}/cafe\u0301.md`);
    assert.deepEqual(listIds(await api.page("files", { path: decomposedFile.path })), [decomposedFile.id]);
  }),
  defineAssumedCase("takes names in any script", async ({ api, folder }) => {
    const namesWithSigns = ["a=b,c@d+e^f%g.md", "(a)\"b\"'c'!d#e~f.md", "-dash.md", "_.md", "a.b.c.md"];
    for (const name of ["日本語.md", "العربية.md", "ελληνικά.md", ...namesWithSigns]) {
      const file = await api.file(`${folder.path}/${name}`);
      assert.deepEqual(await api.paths("files", { path: file.path }), [`${folder.path}/${name}`]);
    }
  }),
  defineAssumedCase("takes a path without its leading slash", async ({ api, folder }) => {
    const pathWithoutSlash = folder.path.slice(1);
    const file = (await api.post("/v1/files", { path: `${pathWithoutSlash}/a.md`, content: "" })).ok(201);
    assert.equal(file.path, `${folder.path}/a.md`);
    const subfolder = (await api.post("/v1/folders", { path: `${pathWithoutSlash}/sub` })).ok(201);
    assert.equal(subfolder.path, `${folder.path}/sub`);
    assert.deepEqual(await api.paths("files", { path: `${pathWithoutSlash}/a.md` }), [file.path]);
    assert.deepEqual(await api.paths("files", { path_prefix: pathWithoutSlash }), [file.path]);
    assert.deepEqual(await api.paths("folders", { path: `${pathWithoutSlash}/sub` }), [subfolder.path]);
  }),
  defineCase("refuses empty names within a path", async ({ api, folder }) => {
    for (const path of ["", "/", "//a.md", `${folder.path}//a.md`, `${folder.path}/`]) {
      (await api.post("/v1/files", { path, content: "" })).invalid("/path");
    }
  }),
  defineAssumedCase("answers type_mismatch to a path that leads through a file name", async ({ api, folder }) => {
    const body = { path: `${folder.path}/a.md/b.md`, content: "" };
    (await api.post("/v1/files", body)).problem("type_mismatch", "/path");
  }),
  defineAssumedCase("bounds the length and the depth of a path", async ({ api, folder }) => {
    // The limit of 4,096 characters does not include the leading slash of the path.
    const charactersLeft = 4_096 - folder.path.length;
    const longPath = `${"n".repeat(200)}/`.repeat(30).slice(0, charactersLeft - 13);
    const longestPath = `${folder.path}/${longPath.replace(/\/$/, "x")}/${"f".repeat(9)}.md`;
    assert.equal(longestPath.length, 4_097);
    assert.equal((await api.file(longestPath)).path, longestPath);
    const problem = (await api.post("/v1/files", { path: longestPath.replace(".md", "f.md"), content: "" })).invalid(
      "/path",
    );
    assert.equal(problem.errors?.[0]?.code, "too_long");
    await api.file(`${folder.path}/${"d/".repeat(126)}f.md`);
    const tooDeepBody = { path: `${folder.path}/${"e/".repeat(127)}f.md`, content: "" };
    (await api.post("/v1/files", tooDeepBody)).invalid("/path");
  }),
  defineAssumedCase(
    "refuses a folder rename or move that makes a path below too long or too deep",
    async ({ api, folder }) => {
      const deepFolder = await api.folder(`${folder.path}/a/${"d/".repeat(100)}end`);
      const topFolder = (await api.page("folders", { path: `${folder.path}/a` })).data[0]!;
      const lessDeepFolder = await api.folder(`${folder.path}/${"b/".repeat(60)}end`);
      (await api.patch(`/v1/folders/${topFolder.id}`, { parentId: lessDeepFolder.id })).invalid("/parentId");
      assert.deepEqual(await api.paths("folders", { path: deepFolder.path }), [deepFolder.path]);

      await api.folder(`${folder.path}/c/${`${"n".repeat(200)}/`.repeat(17)}end`);
      await api.folder(`${folder.path}/c/short`);
      const folderC = (await api.page("folders", { path: `${folder.path}/c` })).data[0]!;
      const longFolder = await api.folder(`${folder.path}/${`${"f".repeat(200)}/`.repeat(4)}end`);
      (await api.patch(`/v1/folders/${folderC.id}`, { parentId: longFolder.id })).invalid("/parentId");
    },
  ),
];

export const nameCases: readonly ContractCase[] = [
  ...lengthCases,
  ...illegalNameCases,
  ...slashCases,
  ...endingCases,
  ...otherNameCases,
];
