import { describe, expect, test } from "vitest";
import { actLocally } from "../simulator/commands.ts";
import type { Fault } from "../variants/variant.ts";
import {
  asText,
  type Fixture,
  HTML,
  inSync,
  isWrite,
  problem,
  type SeenRequest,
  settle,
  UNREADABLE_LIST,
} from "./fixture.ts";

/**
 * Lets the first matching request fail with `fault`. From then on, requests about folders fail too.
 */
function loseThenHideFolders(fixture: Fixture, is: (request: SeenRequest) => boolean, fault: Fault): void {
  let sent = false;
  fixture.fault = (request) => {
    if (sent) return request.path.startsWith("/v1/folders") ? problem(400, "invalid_request") : null;
    if (!is(request)) return null;
    sent = true;
    return fault;
  };
}

/** The first words of each kind of write request, and a local command that causes it. */
const WRITES: readonly (readonly [route: string, command: string])[] = [
  ["PUT /v1/files/", "write d/a.md edited"],
  ["POST /v1/files", "write d/new.md created"],
  ["PATCH /v1/files/", "mv d/a.md d/z.md"],
  ["PATCH /v1/files/", "mv d/a.md e/a.md"],
  ["DELETE /v1/files/", "rm d/a.md"],
  ["POST /v1/folders", "mkdir f"],
  ["PATCH /v1/folders/", "mv d g"],
  ["DELETE /v1/folders/", "rm empty"],
];

function on(route: string): (request: SeenRequest) => boolean {
  return ({ method, path }) => `${method} ${path}`.startsWith(route);
}

function expectSameFolders({ rig, mirror }: Fixture): void {
  for (const folder of ["f", "g", "empty"])
    expect({ folder, remote: rig.app.folders().includes(folder) }).toEqual({
      folder,
      remote: mirror.disk.user.exists(mirror.path(folder)),
    });
}

const UNCERTAIN = [
  ["lost before it was done", "drop-before"],
  ["lost after it was done", "drop-after"],
  ["answered 500", problem(500, "internal_error")],
  ["answered 503", problem(503, "service_unavailable", { "retry-after": "1" })],
  ["answered with HTML", HTML],
] as const;

describe.each(WRITES)("I08 %s (%s), whose end is not known, is read before it is sent again", (route, command) => {
  const is = on(route);
  test.each(UNCERTAIN)("%s", async (_how, fault) => {
    const fixture = await inSync();
    const { rig, mirror } = fixture;
    actLocally(mirror, command);
    const wanted = mirror.texts();
    let befallen = 0;
    fixture.fault = (request) => (is(request) && befallen++ === 0 ? fault : null);
    await mirror.syncTimes(2);
    expect(befallen).toBeGreaterThan(0);
    const { seen } = fixture;
    const first = seen.findIndex(is);
    const again = seen.findIndex((request, index) => index > first && asText(request) === asText(seen[first]!));
    // Before a second attempt there is a read. If the first request was executed, there is no
    // second one.
    if (again !== -1) expect(seen.slice(first + 1, again).some(({ method }) => method === "GET")).toBe(true);
    if (fault === "drop-after") expect(seen.filter((one) => asText(one) === asText(seen[first]!))).toHaveLength(1);
    fixture.fault = () => null;
    await settle(mirror);
    expect([mirror.texts(), rig.app.texts()]).toEqual([wanted, wanted]);
    expectSameFolders(fixture);
    seen.length = 0;
    await mirror.sync();
    expect(seen.filter(isWrite)).toEqual([]);
  });
});

test.each([
  ["PATCH", "mv d/a.md d/x.md; mv d/b.md d/y.md; mv d/c.md d/z.md"],
  ["PUT", "write d/a.md edited; write d/b.md edited; write d/c.md edited"],
])(
  "I17 a %s without an answer to a document that cannot be read delays no other document",
  async (method, commands) => {
    const fixture = await inSync();
    const { rig, mirror } = fixture;
    const id = rig.app.id("d/a.md");
    actLocally(mirror, commands);
    let isLost = false;
    fixture.fault = (request) => {
      isLost ||= request.method === method;
      return isLost ? "drop-before" : null;
    };
    await mirror.sync();
    expect(mirror.state.intents()).toHaveLength(3);
    fixture.fault = ({ method, path }) =>
      method === "GET" && path.startsWith(`/v1/files/${id}`) ? problem(503, "service_unavailable") : null;
    await mirror.syncTimes(4);
    expect(mirror.state.intents()).toHaveLength(1);
  },
);

// For folders, the listing of each cycle is the read that shows the result, so they are left out.
const OF_DOCUMENTS = WRITES.filter(([route]) => route.includes("/files"));

const settles = ({ method, path }: SeenRequest): boolean => method === "GET" && /^\/v1\/files(?:\/|\?path=)/.test(path);

describe.each(OF_DOCUMENTS)("I08 %s (%s), whose end no read could prove, is not sent again", (route, command) => {
  const is = on(route);
  test.each(["drop-before", "drop-after"] as const)("%s", async (fault) => {
    const fixture = await inSync();
    const { rig, mirror, seen } = fixture;
    actLocally(mirror, command);
    let first: string | null = null;
    fixture.fault = (request) => {
      if (first !== null) return settles(request) ? HTML : null;
      if (!is(request)) return null;
      first = asText(request);
      return fault;
    };
    await mirror.syncTimes(3);
    expect(first).not.toBeNull();
    expect(seen.filter((request) => asText(request) === first)).toHaveLength(1);
    fixture.fault = () => null;
    await settle(mirror);
    expect([...mirror.texts()]).toEqual([...rig.app.texts()]);
  });
});

describe.each([
  ["DELETE /v1/folders/", "rm empty"],
  ["POST /v1/folders", "mkdir f"],
  ["POST /v1/folders", "write f/new.md created"],
] as const)("I08 %s (%s) without an answer is not sent again until folders are shown", (route, command) => {
  const is = on(route);
  test.each(["drop-before", "drop-after"] as const)("%s", async (fault) => {
    const fixture = await inSync();
    const { rig, mirror, seen } = fixture;
    actLocally(mirror, command);
    loseThenHideFolders(fixture, is, fault);
    await mirror.syncTimes(3);
    expect(seen.filter(is)).toHaveLength(1);
    fixture.fault = () => null;
    await settle(mirror);
    expectSameFolders(fixture);
    expect([...mirror.texts()]).toEqual([...rig.app.texts()]);
    expect(seen.filter(is)).toHaveLength(fault === "drop-before" ? 2 : 1);
  });
});

test("I08 a POST that was answered 404 is not sent again in the same run until a whole listing was read", async () => {
  const fixture = await inSync();
  const { rig, mirror, seen } = fixture;
  mirror.write("d/new.md", "created locally\n");
  const isPost = ({ method, path }: SeenRequest): boolean => method === "POST" && path === "/v1/files";
  let isRefused = false;
  fixture.fault = (request) => {
    if (isRefused && request.path.startsWith("/v1/files?")) return problem(400, "invalid_request");
    if (!isPost(request)) return null;
    isRefused = true;
    return problem(404, "folder_not_found");
  };
  await mirror.sync();
  expect(isRefused).toBe(true);
  expect(seen.filter(isPost)).toHaveLength(1);
  fixture.fault = () => null;
  await settle(mirror);
  expect(seen.filter(isPost)).toHaveLength(2);
  expect(rig.app.texts().get("d/new.md")).toBe("created locally\n");
});

test("I08 a POST that was refused is not sent again in the same run, although one listing in between showed another document there", async () => {
  const fixture = await inSync();
  const { rig, mirror, seen } = fixture;
  mirror.write("d/new.md", "created locally\n");
  mirror.write("d/other.md", "other\n");
  rig.app.create("d/new.md", "new there\n");
  rig.app.create("d/theirs.md", "theirs\n");
  const id = rig.app.id("d/new.md")!;
  const isPost = ({ method, body }: SeenRequest): boolean => method === "POST" && body?.["path"] === "/d/new.md";
  let listings = 0;
  fixture.fault = (request) => {
    if (isPost(request)) return problem(400, "invalid_request");
    if (request.path === `/v1/files/${id}`) return problem(400, "invalid_request");
    // The only successful listing contains the document, but its content cannot be read.
    if (request.path.startsWith("/v1/files?") && ++listings !== 2) return UNREADABLE_LIST;
    return null;
  };
  await mirror.sync();
  expect(listings).toBeGreaterThan(2);
  expect(seen.filter(isPost)).toHaveLength(1);
  expect(mirror.state.load().blocks.get("d/new.md")?.reason).toBe("refused");
  fixture.fault = () => null;
  await settle(mirror);
  expect([...mirror.texts().values()].sort()).toContain("created locally\n");
  expect(mirror.state.load().blocks.get(id)?.reason).toBe("conflict");
});

function isFolderPatch({ method, path }: SeenRequest): boolean {
  return method === "PATCH" && path.startsWith("/v1/folders/");
}

describe.each([
  ["renamed", [["d", "moved"]], []],
  ["renamed, and once more before the end is known", [["d", "moved"]], [["moved", "last"]]],
  ["moved into another", [["d", "e/d"]], []],
] as const)(
  "I08 I09 a PATCH of a folder (%s) without an answer is not sent again until folders are shown",
  (_how, moves, later) => {
    test.each([
      ["drop-before", false],
      ["drop-after", false],
      ["drop-before", true],
      ["drop-after", true],
    ] as const)("%s, something new inside on the service: %s", async (fault, isFilled) => {
      const fixture = await inSync();
      const { rig, mirror, seen } = fixture;
      const rename = ([from, to]: readonly [string, string]): void => mirror.rename(from, to);
      const ids = new Map(["a", "b", "c"].map((name) => [name, rig.app.id(`d/${name}.md`)]));
      for (const move of moves) rename(move);
      loseThenHideFolders(fixture, isFolderPatch, fault);
      await mirror.sync();
      const first = asText(seen.find(isFolderPatch)!);
      for (const move of later) rename(move);
      const stands = [...rig.app.files().values()].find(({ id }) => id === ids.get("a"))!.path.replace("/a.md", "");
      if (isFilled) rig.app.create(`${stands}/new.md`, "new there\n");
      const last = later.at(-1)?.[1] ?? moves.at(-1)![1];
      mirror.write(`${last}/a.md`, "edited locally\n");
      await mirror.syncTimes(2);
      expect(seen.filter((request) => asText(request) === first)).toHaveLength(1);
      fixture.fault = () => null;
      await settle(mirror);
      if (fault === "drop-after") expect(seen.filter((request) => asText(request) === first)).toHaveLength(1);
      for (const [name, id] of ids) expect({ name, id: rig.app.id(`${last}/${name}.md`) }).toEqual({ name, id });
      expect(rig.app.texts().get(`${last}/a.md`)).toBe("edited locally\n");
      expect(rig.app.texts().get(`${last}/new.md`)).toBe(isFilled ? "new there\n" : undefined);
      expect([...mirror.texts()].toSorted()).toEqual([...rig.app.texts()].toSorted());
      expect(rig.app.folders().filter((path) => /-\d|^moved$/.test(path) && path !== last)).toEqual([]);
    });
  },
);

describe.each(["drop-before", "drop-after"] as const)(
  "I08 I09 two folders changed places locally, and the first PATCH has an unknown end (%s), with no list of folders after it",
  (fault) => {
    test.each([
      ["e/a.md", false],
      ["e/a.md", true],
      ["d/k.md", true],
    ] as const)("%s, saved meanwhile (as another file: %s), and both folders keep their ids", async (path, asNew) => {
      const fixture = await inSync();
      const { rig, mirror, seen } = fixture;
      actLocally(mirror, "mv d t; mv e d; mv t e");
      const ids = new Map(["d/a.md", "d/b.md", "d/c.md", "e/k.md"].map((at) => [swapped(at), rig.app.id(at)]));
      const dirs = new Map([...mirror.state.load().dirs.values()].map((dir) => [swapped(dir.localPath), dir.id]));
      loseThenHideFolders(fixture, isFolderPatch, fault);
      await mirror.sync();
      if (asNew) mirror.remove(path);
      mirror.write(path, "edited locally, and nothing as it was\n");
      await mirror.syncTimes(2);
      fixture.fault = () => null;
      await settle(mirror);
      expect(seen.filter(({ method }) => method === "POST" || method === "DELETE")).toEqual([]);
      for (const [at, id] of ids) expect({ at, id: rig.app.id(at) }).toEqual({ at, id });
      expect(new Map([...mirror.state.load().dirs.values()].map((dir) => [dir.remotePath, dir.id]))).toEqual(dirs);
      expect(rig.app.texts().get(path)).toBe("edited locally, and nothing as it was\n");
      expect([...mirror.texts()].toSorted()).toEqual([...rig.app.texts()].toSorted());
    });
  },
);

/** Returns a path after `d` and `e` have exchanged their names. */
function swapped(path: string): string {
  return path.replace(/^[de](?=\/|$)/, (name) => (name === "d" ? "e" : "d"));
}
