import { describe, expect, test, vi } from "vitest";
import type { KeyInfo } from "../../../src/service/keys/keys.ts";
import { StoreBusyError } from "../../../src/service/store/store.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { type GrantOn, makeKey } from "../fixture.ts";
import { type Browser, HOST, openRig, openSignedIn, type PagesRig, text } from "./fixture.ts";

const EVIL = `"><script>alert(1)</script>'\u202e`;

/** Makes a key of the workspace, and signs a browser in with it. */
async function keyOf(rig: PagesRig, grants: readonly GrantOn[]) {
  const made = await makeKey(rig, ...grants);
  return { ...made, browser: await rig.signIn(made.key) };
}

const ADMIN_PAGES = ["/app/keys", "/app/keys/new", "/app/reviews"];

/** Expects no script, no style and no control character of text direction from a document. */
function expectHarmless(page: string): void {
  // The value of a field contains what the user typed, unchanged.
  const shown = page.replace(/ value="[^"]*"/g, "");
  expect(shown.match(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|javascript:|\u202e/gi)).toBeNull();
}

describe("a key's own pages", () => {
  test("show what the API shows it, and nothing of the administration", async () => {
    const rig = await openRig();
    for (const path of ["team/plan.md", "team/secret.md", "private/diary.md", "top.md"])
      await rig.api.file(path, `of ${path}`);
    const { browser, workspaceId } = await keyOf(rig, [
      { on: "/team", level: "read" },
      { on: "/team/secret.md", level: "none" },
    ]);
    const at = async (path: string) => {
      const answer = await browser.get(`/app/w/${workspaceId}/files/${path}`);
      return { status: answer.status, text: text(answer) };
    };
    expect(await browser.see("/app")).toContain(">team<");
    expect((await at("team")).text).toContain("plan.md");
    expect((await at("team/plan.md")).text).toContain("of team/plan.md");
    for (const page of [(await at("")).text, (await at("team")).text])
      expect(page).not.toMatch(/secret|private|diary|top\.md/);
    for (const hidden of ["team/secret.md", "private", "private/diary.md", "top.md", "nothing.md"]) {
      expect(await at(hidden)).toEqual({ status: 404, text: (await at("not/there")).text });
      expect((await at(`${hidden}?view=source`)).status).toBe(404);
    }
    for (const path of [...ADMIN_PAGES, "/app/workspaces/x/remove"]) expect((await browser.get(path)).status).toBe(404);
    for (const form of ["/app/keys", "/app/workspaces", `/app/workspaces/${workspaceId}/state`])
      expect(
        (await browser.post(form, { name: "x", label: "x", path: "/", level: "full", workspace: workspaceId })).status,
      ).toBe(404);
    expect(await rig.service.admin.keys()).toHaveLength(2);
  });

  test("show no other workspace, and none of its own once that is closed", async () => {
    const rig = await openRig();
    const other = (await rig.service.admin.createWorkspace("other")).workspaceId;
    const { browser, workspaceId } = await keyOf(rig, [{ on: null, level: "full" }]);
    expect((await browser.get(`/app/w/${other}/files/`)).status).toBe(404);
    await rig.service.admin.setWorkspaceState(workspaceId, "closed", 7);
    const closed = await browser.get(`/app/w/${workspaceId}/files/`);
    expect([closed.status, closed.headers["retry-after"]]).toEqual([503, "7"]);
  });

  test("change immediately with its grants, and count for its rate", async () => {
    const rig = await openRig();
    await rig.api.file("a.md", "text");
    const { browser, id, workspaceId } = await keyOf(rig, [{ on: null, level: "read" }]);
    const at = async () => (await browser.get(`/app/w/${workspaceId}/files/a.md`)).status;
    expect(await at()).toBe(200);
    expect((await rig.service.admin.key(id))!.lastUsedAt).toBe(rig.clock.now);
    await rig.service.admin.changeKey(id, { rateLimit: { requests: 1, seconds: 60 } });
    expect([await at(), await at()]).toEqual([200, 429]);
    await rig.service.admin.changeKey(id, { rateLimit: null, grants: [] });
    expect(await at()).toBe(404);
  });
});

describe("documents", () => {
  test("are listed by name, by the page, each once", async () => {
    const rig = await openRig();
    const names = Array.from({ length: 450 }, (_, n) => `note-${String(n).padStart(3, "0")}.md`);
    for (const name of names.toReversed()) await rig.api.file(`many/${name}`);
    for (const name of ["b", "a"]) await rig.api.file(`many/${name}/x.md`);
    const browser = await rig.signIn();
    const seen: string[] = [];
    let at: string | undefined = `/app/w/${rig.workspaceId}/files/many`;
    let pages = 0;
    while (at !== undefined) {
      const page = text(await browser.get(at));
      seen.push(...[...page.matchAll(/<th scope="row"><a[^>]*><bdi class="name">([^<]*)/g)].map((match) => match[1]!));
      at = /href="([^"]*after=[^"]*)">Next page/.exec(page)?.[1]?.replaceAll("&amp;", "&");
      pages++;
    }
    expect([pages, seen]).toEqual([3, ["a", "b", ...names]]);
  });

  test("show their size, time and state in a list, and the same on their page", async () => {
    const rig = await openRig();
    const made = await rig.api.file("team/a.md", "é".repeat(600));
    (await rig.api.patch(`/v1/files/${made.id}`, { protected: true })).ok(200);
    (await rig.api.edit(made.id, made.lastChangeId, "sent")).ok(202);
    await rig.api.file("team/b.md", "b");
    const browser = await rig.signIn();
    rig.clock.now += 7_200_000;
    const list = await browser.see(`/app/w/${rig.workspaceId}/files/team`);
    const rows = [...list.matchAll(/<tr class="file">(.*?)<\/tr>/gs)].map((match) =>
      match[1]!
        .replace(/<[^>]*>/g, " ")
        .replace(/\s+/g, " ")
        .trim(),
    );
    expect(rows).toEqual(["a.md protected in review 1.2 kB 2 h ago", "b.md 1 bytes 2 h ago"]);
    const page = await browser.see(`/app/w/${rig.workspaceId}/files/team/a.md`);
    for (const fact of ["1.2 kB", "in review", "protected", "2 h"]) expect(page).toContain(fact);
    for (const shown of [list, page]) expect(shown).toMatch(/<a href="\/app\/reviews\/\w+"><span class="badge asks">/);
  });

  test("are found by their words, as far as the key may see them, with what was found marked", async () => {
    const rig = await openRig();
    for (const path of ["team/plan.md", "team/deep/more.md", "private/diary.md"])
      await rig.api.file(path, `A walrus of ${path} <script>alert(1)</script>\n`);
    const { browser, workspaceId } = await keyOf(rig, [{ on: "/team", level: "read" }]);
    const search = async (who: Browser, query: string) => {
      const page = await who.see(`/app/w/${workspaceId}/search?${query}`);
      expectHarmless(page);
      return [...page.matchAll(/<div class="main"><a href="[^"]*\/files\/([^"]+)"/g)].map((match) => match[1]!).sort();
    };
    expect(await search(browser, "q=walrus")).toEqual(["team/deep/more.md", "team/plan.md"]);
    expect(await search(browser, "q=walrus&in=team/deep")).toEqual(["team/deep/more.md"]);
    expect(await search(browser, "q=walrus&in=private")).toEqual([]);
    expect(await search(await rig.signIn(), "q=walrus")).toHaveLength(3);
    expect(await browser.see(`/app/w/${workspaceId}/search?q=walrus`)).toContain("<mark>walrus</mark>");
    for (const query of ["", "q=+", `q=${"x".repeat(5_000)}`]) expect(await search(browser, query)).toEqual([]);
    for (let n = 0; n < 25; n++) await rig.api.file(`team/more-${n}.md`, "Another walrus.\n");
    const next = await browser.see(`/app/w/${workspaceId}/search?q=walrus`);
    const [, more] = /href="[^"]*\/search\?([^"]*)">Next page/.exec(next)!;
    expect(next).toContain("of 27 documents");
    expect(await search(browser, more!.replaceAll("&amp;", "&"))).toHaveLength(7);
    const other = (await rig.service.admin.createWorkspace("other")).workspaceId;
    expect((await browser.get(`/app/w/${other}/search?q=walrus`)).status).toBe(404);
  });

  test("have a history for administrators, which shows what each change did and restores one", async () => {
    const rig = await openRig();
    const { id, lastChangeId } = await rig.api.file("a.md", "one\n");
    (await rig.api.edit(id, lastChangeId, "two\n")).ok(200);
    const browser = await rig.signIn();
    const at = `/app/w/${rig.workspaceId}/history/a.md`;
    const latest = await browser.see(at);
    const marks = (page: string) => page.match(/<mark>\w+<\/mark>/g)?.map((mark) => mark.replace(/<[^>]*>/g, ""));
    const steps = latest
      .match(/class="step".*?<\/li>/gs)!
      .map((step) => [
        /<bdi class="name">(\w+)/.exec(step)?.[1],
        ...step.match(/>Version (\d+)<\/a>/)!.slice(1),
        ...step.match(/<ins>(.*?)<\/ins> <del>(.*?)<\/del>/)!.slice(1),
        ...step.match(/\d\d:\d\d:\d\d/)!,
      ]);
    expect(steps).toEqual([
      ["owner", "2", "+1", "−1", "00:00:00"],
      [undefined, "1", "+1", "−0", "00:00:00"],
    ]);
    expect([marks(latest), latest.includes("restore/a.md")]).toEqual([["one", "two"], false]);
    const first = await browser.see(`${at}?change=${lastChangeId}`);
    expect(marks(first)).toEqual(["one"]);
    const form = `/app/w/${rig.workspaceId}/restore/a.md`;
    const fields = { change: lastChangeId, live: /name="live" value="(\w+)"/.exec(first)![1]! };
    await browser.submit(form, { ...fields, live: lastChangeId });
    await browser.submit(form, { ...fields, change: "chg_none" });
    expect((await rig.api.read(id)).content).toBe("two\n");
    expect((await browser.submit(form, fields)).match(/class="step"/g)).toHaveLength(3);
    expect((await rig.api.read(id)).content).toBe("one\n");
    expect((await browser.get(`/app/w/${rig.workspaceId}/history/none.md`)).status).toBe(404);
    const { browser: own } = await keyOf(rig, [{ on: null, level: "full" }]);
    expect([(await own.get(at)).status, (await own.post(form, fields)).status]).toEqual([404, 404]);
  });

  test("are protected by administrators and keys with full access, not by others or other sites", async () => {
    const rig = await openRig();
    const { id } = await rig.api.file("team/a.md", "text");
    const isProtected = async () => (await rig.api.read(id)).protected;
    const form = `/app/w/${rig.workspaceId}/protect/team/a.md`;
    const admin = await rig.signIn();
    expect(await admin.submit(form, { protected: "yes" })).toContain("Remove protection");
    expect(await isProtected()).toBe(true);
    const editor = (await keyOf(rig, [{ on: "/team", level: "edit" }])).browser;
    expect(await editor.see(`/app/w/${rig.workspaceId}/files/team/a.md`)).not.toContain("protect/team");
    expect(await editor.submit(form, { protected: "no" })).toContain("needs Full access");
    const stranger = (await keyOf(rig, [{ on: "/other", level: "full" }])).browser;
    expect((await stranger.post(form, { protected: "no" })).status).toBe(404);
    const owner = (await keyOf(rig, [{ on: "/team", level: "full" }])).browser;
    const headers = {
      host: HOST,
      origin: `http://${HOST}`,
      cookie: owner.cookie,
      "content-type": "application/x-www-form-urlencoded",
    };
    expect((await rig.ask("POST", form, headers, "protected=no&csrf=x")).status).toBe(403);
    expect(await isProtected()).toBe(true);
    await owner.submit(form, { protected: "no" });
    expect(await isProtected()).toBe(false);
  });

  test("and names and labels of any characters are shown as what they are", async () => {
    const { browser, ...rig } = await openSignedIn();
    const { workspaceId } = await rig.service.admin.createWorkspace(EVIL);
    const key = await rig.service.admin.createKey({ workspaceId, grants: [{ on: null, level: "full" }], label: EVIL });
    if (!("key" in key)) throw new Error();
    const file = await rig.api.file("wide/日本語-ü.md", EVIL);
    (await rig.api.patch(`/v1/files/${file.id}`, { protected: true })).ok(200);
    const { id } = (await rig.api.edit(file.id, file.lastChangeId, `${EVIL}${EVIL}`)).ok(202);
    const paths = ["/app", "/app/keys", `/app/keys/${key.id}`, "/app/keys/new", "/app/reviews", `/app/reviews/${id}`];
    paths.push(`/app/workspaces/${workspaceId}/remove`, `/app/keys/new?workspace=${workspaceId}`);
    paths.push(
      `/app/w/${workspaceId}/files/`,
      `/app/w/${rig.workspaceId}/files/wide/${encodeURIComponent("日本語-ü.md")}`,
    );
    for (const path of paths) {
      const answer = await browser.get(path);
      const page = text(answer);
      expect([path, answer.status]).toEqual([path, 200]);
      if (!path.startsWith("/app/reviews/") && !path.includes("wide")) expectHarmless(page);
      expect(page).not.toContain("<script>alert");
    }
    const source = await browser.see(`${paths.at(-1)!}?view=source`);
    expect(source).toContain('<pre class="text" dir="auto">&quot;&gt;&lt;script&gt;alert(1)');
    for (const path of [
      `/app/w/${rig.workspaceId}/files/%ff`,
      `/app/w/${EVIL}/files/`,
      `/app/keys/${EVIL}`,
      "/app/%00",
    ])
      expect((await browser.get(path)).status).toBe(404);
  });
});

describe("the tab of documents", () => {
  const tabOf = (page: string) => /<a href="([^"]*)" aria-current="page"><bdi>/.exec(page)?.[1];
  const crumbsOf = (page: string) =>
    [.../<ol class="crumbs">.*?<\/ol>/s.exec(page)![0].matchAll(/<bdi class="name">([^<]*)/g)].map((match) => match[1]);

  test("leads to the only workspace, or lists several, and is marked on each page below", async () => {
    const rig = await openRig();
    await rig.api.file("team/a.md", "text");
    const browser = await rig.signIn();
    const { browser: own, workspaceId } = await keyOf(rig, [{ on: null, level: "read" }]);
    const at = (part: string) => `/app/w/${workspaceId}/${part}`;
    expect((await browser.get("/app/w")).headers["location"]).toBe(at("files/"));
    await rig.service.admin.createWorkspace("other");
    const list = await browser.see("/app/w");
    expect([tabOf(list), list.includes(at("files/"))]).toEqual(["/app/w", true]);
    const name = (await rig.service.admin.workspaces())[0]!.name;
    for (const [part, path] of [
      ["files/", []],
      ["files/team/a.md", ["team", "a.md"]],
      ["history/team/a.md", ["team", "a.md"]],
      ["search?q=text&in=team", ["team"]],
    ] as const) {
      const page = await browser.see(at(part));
      expect([tabOf(page), crumbsOf(page)]).toEqual(["/app/w", ["Documents", name, ...path]]);
    }
    for (const path of ["/app", "/app/w", at("files/team")]) expect(tabOf(await own.see(path))).toBe("/app/w");
  });
});

describe("the overview of an administrator", () => {
  test("draws each figure over an hour or a day, and what its bars mean without colour", async () => {
    const { browser } = await openSignedIn();
    for (const [span, bars] of [
      ["hour", 60],
      ["day", 48],
    ] as const) {
      const page = await browser.see(`/app?span=${span}`);
      const charts = [...page.matchAll(/<svg [^>]*role="img" aria-label="([^"]+)">(.*?)<\/svg>/gs)];
      expect(charts.map((match) => match[1]!.split(" from ")[0])).toEqual([
        "Requests",
        "Errors",
        "Latency",
        "Documents",
        "Size of the database",
        "Listeners",
      ]);
      const legends = [...page.matchAll(/<h2>(\w+)<\/h2>(?:(?!<h2>).)*?class="row legend"/gs)];
      expect(legends.map(([, title]) => title)).toEqual(["Errors", "Latency"]);
      for (const [, , drawn] of charts) expect(drawn!.match(/<title>/g)!.length).toBeGreaterThanOrEqual(bars);
      expectHarmless(page);
    }
  });

  test("counts documents of all workspaces, and is for administrators alone", async () => {
    const rig = await openRig();
    await rig.api.file("secret-plan.md", "text");
    const { browser } = await keyOf(rig, [{ on: null, level: "full" }]);
    expect(await browser.see("/app")).not.toMatch(/<svg|Requests/);
    const page = await (await rig.signIn()).see("/app");
    expect(/Documents<\/h2><p class="figure">(\d+)/.exec(page)![1]).toBe("1");
  });
});

describe("workspaces", () => {
  test("are made, closed, opened, and removed; with documents, by their name alone", async () => {
    const { browser, ...rig } = await openSignedIn();
    expect(text(await browser.post("/app/workspaces", { name: "second" }))).toMatch(/<code id="secret">mdm_/);
    expect(await browser.submit("/app/workspaces", { name: "second" })).toContain("with this name already");
    expect(await browser.submit("/app/workspaces", { name: " " })).toContain("A name has");
    const { id } = (await rig.service.admin.workspaces())[1]!;
    expect(await browser.submit(`/app/workspaces/${id}/state`, { state: "closed" })).toContain("“second” is closed");
    expect(await browser.submit(`/app/workspaces/${id}/state`, { state: "gone" })).toContain("open or closed");
    expect((await rig.service.admin.workspaces())[1]!.state).toBe("closed");
    // Only the removal of a workspace with documents requires its name.
    await rig.api.file("a.md");
    const first = `/app/workspaces/${rig.workspaceId}/remove`;
    expect(await browser.see(first)).toContain('name="name" required');
    expect(await browser.see(`/app/workspaces/${id}/remove`)).not.toContain('name="name"');
    expect(await browser.submit(first, { name: "second" })).toContain("nothing was removed");
    expect(await browser.submit(`/app/workspaces/${id}/remove`)).toContain("“second” is removed");
    expect(await rig.service.admin.workspaces()).toHaveLength(1);
    expect((await browser.get(`/app/workspaces/${id}/remove`)).status).toBe(404);
  });
});

test("a fault of a page is that page's alone, and is reported to who runs the service", async () => {
  const { browser, ...rig } = await openSignedIn();
  vi.spyOn(rig.service.core.admin.reviews, "page").mockRejectedValueOnce(new Error("broken"));
  const failed = await browser.get("/app/reviews");
  expect([failed.status, text(failed).includes("broken")]).toEqual([500, false]);
  expect(rig.faults).toEqual([new Error("broken")]);
  expect((await browser.get("/app/keys")).status).toBe(200);
  await rig.service.close();
  const closing = await browser.get("/app");
  expect([closing.status, closing.headers["retry-after"]]).toEqual([503, "5"]);
  expect(text(closing)).toContain("The service is shutting down.");
});

test("a busy database is a page that says so, with the time of a retry, and no fault", async () => {
  const { browser, ...rig } = await openSignedIn();
  const busy = new StoreBusyError("The database cannot be reached");
  vi.spyOn(rig.service.core.admin.reviews, "page").mockRejectedValueOnce(busy);
  const page = await browser.get("/app/reviews");
  expect([page.status, page.headers["retry-after"], rig.faults]).toEqual([503, "1", []]);
  expect(text(page)).toContain("The database cannot be reached; nothing was done");
  expect(text(page)).toContain("Try again later");
});

test("a write that may have been saved is not to be tried again before its result was read", async () => {
  const { browser, ...rig } = await openSignedIn();
  const busy = Object.assign(new StoreBusyError("The database went away during the write"), { mayBeKept: true });
  vi.spyOn(rig.service.core.admin, "createWorkspace").mockRejectedValueOnce(busy);
  const page = await browser.post("/app/workspaces", { name: "second" });
  expect([page.status, page.headers["retry-after"]]).toEqual([503, "1"]);
  expect(text(page)).toContain("inspect the live state before a retry");
  expect(text(page)).not.toContain("Try again later");
});

test("a form that deletes uses the reserved space of a full disk, and no other form does", async () => {
  const rig = await openRig({}, { folder: temporaryFolder() });
  const browser = await rig.signIn();
  const { admin, server } = rig.service.core;
  const [{ id: keyId }] = (await admin.keys()) as [KeyInfo];
  const isReserved = () => server.store.reserve?.bytes() !== 0;
  const diskFull = Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
  vi.spyOn(server.store, "write").mockRejectedValueOnce(diskFull);
  const closed = await browser.post(`/app/workspaces/${rig.workspaceId}/state`, { state: "closed" });
  expect([closed.status, closed.headers["retry-after"], isReserved()]).toEqual([503, "60", true]);
  vi.spyOn(server.store, "write").mockRejectedValueOnce(diskFull);
  expect(await browser.submit(`/app/keys/${keyId}/revoke`)).toContain("is revoked");
  expect(isReserved()).toBe(false);
  server.store.reserve?.reserve();
  vi.spyOn(server.store, "write").mockRejectedValueOnce(diskFull);
  expect(await browser.submit(`/app/workspaces/${rig.workspaceId}/remove`)).toContain("is removed");
  expect([isReserved(), await admin.workspaces()]).toEqual([false, []]);
  await rig.service.close();
});
