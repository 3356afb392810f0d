import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ConformanceReport } from "../../src/conformance/judge.ts";
import { waitForRetryAfter } from "../../src/conformance/observe.ts";
import { startHttp } from "../../src/service/http/server.ts";
import type { ServiceWire } from "../../src/service/service.ts";
import { varyService } from "../variants/vary-service.ts";
import { type RunOptions, useRig } from "./rig.ts";

const rig = useRig();

type Ran = ConformanceReport & { readonly exit: number };

/** Runs the command on some sections. Returns its report and its exit code. */
async function runConformance(
  url: string,
  sections: readonly string[],
  more: readonly string[] = [],
  options: RunOptions = {},
) {
  const names = sections.flatMap((name) => ["--section", name]);
  const argv = ["conformance", url, "--key-file", rig.keyFile, ...names, ...more];
  return (await rig.json(argv, options)) as unknown as Ran;
}

/** Serves the rig's workspace with changed answers. Returns the URL. */
async function serveAs(change: (handle: ServiceWire) => ServiceWire): Promise<string> {
  const server = await startHttp({ handle: change(async (request) => rig.service.answer(request)) });
  onTestFinished(() => server.close());
  return server.url;
}

const folders = () => (rig.api("GET", "/v1/folders") as { readonly data: readonly { readonly path: string }[] }).data;

test("a service that follows the contract has no differences, and nothing is left", async () => {
  rig.createRemotely("/mine.md", "mine\n");
  const { exit, conforms, isComplete, sections, leftBehind } = await runConformance(rig.url, ["errors", "reviews"]);
  expect([exit, conforms, isComplete, leftBehind]).toEqual([0, true, true, []]);
  const found = sections.map(({ section, passed, differences, notOffered, skipped }) => {
    return [section, passed, differences, notOffered, skipped.length];
  });
  expect(found).toEqual([
    ["reviews", 2, [], [], 5],
    ["errors", 3, [], [], 0],
  ]);
  expect(folders()).toEqual([]);
  expect(rig.remote("/mine.md")?.content).toBe("mine\n");
});

test("an answer that the published contract forbids ends with 3", async () => {
  const url = await serveAs((handle) => async (request) => {
    const answer = await handle(request);
    return request.method === "PATCH" && answer.status === 400 ? { ...answer, status: 422 } : answer;
  });
  const { exit, conforms, sections } = await runConformance(url, ["files"]);
  expect([exit, conforms]).toEqual([3, false]);
  const difference = sections[0]!.differences.find(({ title }) => title.includes("PATCH of none or two"));
  expect(difference).toMatchObject({ basis: "published", status: 422 });
  expect(difference!.request).toMatch(/^PATCH \/v1\/files\/doc_/);
});

test("a difference from an assumption is reported and does not count", async () => {
  const url = await serveAs((handle) => async (request) => {
    const answer = await handle(request);
    return { ...answer, headers: { ...answer.headers, "cache-control": "private" } };
  });
  const { exit, conforms, sections } = await runConformance(url, ["errors"]);
  expect([exit, conforms]).toEqual([0, true]);
  expect(sections[0]!.differences.map(({ basis }) => basis)).toEqual(["assumed"]);
});

test("a service that deletes no folders is judged with --leave-behind alone", async () => {
  const url = await serveAs((handle) => varyService(handle, { noFolderPatchOrDelete: 405 }));
  const argv = ["conformance", url, "--key-file", rig.keyFile, "--section", "errors"];
  expect((await rig.run(argv)).code).toBe(2);
  expect(folders()).toHaveLength(1);
  const { exit, leftBehind } = await runConformance(url, ["errors"], ["--leave-behind"]);
  expect([exit, leftBehind.length]).toEqual([0, 3]);
});

test("a run that is stopped does not say that the service conforms", async () => {
  const stop = new AbortController();
  const options = { stop: stop.signal, terminal: true, onStatus: () => stop.abort() };
  const { exit, conforms, isComplete } = await runConformance(rig.url, ["errors"], [], options);
  expect([exit, conforms, isComplete, folders()]).toEqual([3, false, false, []]);
});

test("a case whose request was refused with Retry-After, and that is then stopped, has no result", async () => {
  const stop = new AbortController();
  let isLastCase = false;
  const url = await serveAs((handle) => async (request) => {
    if (!isLastCase) return handle(request);
    stop.abort();
    return { status: 429, headers: { "retry-after": "5" }, body: "" };
  });
  const onStatus = (status: string) => {
    isLastCase ||= status === "case 3 of 3";
  };
  const argv = ["conformance", url, "--key-file", rig.keyFile, "--section", "errors"];
  const { code, out } = await rig.run(argv, { stop: stop.signal, terminal: true, onStatus });
  expect([code, out.at(0), ...out.slice(-2)]).toEqual([
    3,
    "errors: 2 cases passed",
    "stopped: some cases did not run",
    "the cases that ran found no difference from the contract",
  ]);
});

test("a run that is stopped during a wait does not send the request again", async () => {
  const stop = new AbortController();
  let sent = 0;
  const refuse = async () => {
    sent++;
    return { status: 429, headers: { "retry-after": "5" }, body: "" };
  };
  const clock = { sleep: async () => stop.abort() };
  const request = { method: "GET", path: "/v1/files", headers: {}, body: null };
  expect((await waitForRetryAfter(refuse, clock, stop.signal)(request)).status).toBe(429);
  expect(sent).toBe(1);
});

test("a service that cannot be reached, or refuses the key, ends with 5", async () => {
  const wrong = join(rig.dir, "wrong-key");
  writeFileSync(wrong, "mdm_wrong");
  expect((await rig.run(["conformance", rig.url, "--key-file", wrong])).code).toBe(5);
  await rig.stopService();
  expect((await rig.run(["conformance", rig.url, "--key-file", rig.keyFile])).code).toBe(5);
});

test("a service that ignores filters keeps the documents of others", async () => {
  rig.createRemotely("/mine/a.md", "mine\n");
  rig.createRemotely("/b.md", "mine\n");
  const url = await serveAs((handle) => (request) => {
    const [path = "", query = ""] = request.path.split("?", 2);
    const isList = request.method === "GET" && /^\/v1\/(?:files|folders)$/.test(path);
    const kept = query.split("&").filter((part) => /^(?:limit|cursor)=/.test(part));
    return handle(isList ? { ...request, path: [path, kept.join("&")].filter(Boolean).join("?") } : request);
  });
  const before = rig.api("GET", "/v1/files") as { readonly data: readonly { readonly id: string }[] };
  await runConformance(url, ["folders"], ["--leave-behind"]);
  const after = rig.api("GET", "/v1/files") as {
    readonly data: readonly { readonly id: string; readonly path: string }[];
  };
  const mine = after.data.filter(({ path }) => !path.startsWith("/mdmirror-conformance-"));
  expect(mine).toEqual(before.data);
  expect(folders().some(({ path }) => path === "/mine")).toBe(true);
});
