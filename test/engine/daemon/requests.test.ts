import { expect, test } from "vitest";
import { createRig } from "../../simulator/rig.ts";
import { type DaemonRig, startDaemon } from "./rig.ts";

/** What each thing costs in requests while `watch` runs: its own, and those of the polls. */

type Requests = Readonly<Record<string, number>>;

/** Nothing is polled in the time that these tests take. */
const NO_POLLS = { pollActiveMs: 3_600_000, pollRestMs: 3_600_000, pollSleepyMs: 3_600_000, rescanMs: 7_200_000 };

function counted(rig: DaemonRig): Requests {
  const requests: Record<string, number> = {};
  for (const request of rig.sent()) {
    const route = request.replace(/\?.*/s, "").replace(/\/(doc|dir)_[^/]+/, "/{id}");
    requests[route] = (requests[route] ?? 0) + 1;
  }
  return requests;
}

/** In sync; three of the documents were made here, so that what it is like to make one is known. */
async function watching(documents: number, timing: typeof NO_POLLS | null): Promise<DaemonRig> {
  const rig = createRig(33);
  for (let n = 0; n < documents - 3; n++) rig.app.create(`d${n % 6}/n${n}.md`, `note ${n}\n`);
  const mirror = rig.mirror();
  for (let n = 0; n < 3; n++) mirror.write(`d0/first${n}.md`, `first ${n}\n`);
  await mirror.sync();
  const made = await startDaemon({ rig, mirror, ...(timing === null ? {} : { timing }) });
  await made.pass(1_000);
  made.sent();
  return made;
}

const FILE = "/v1/files/{id}";

test.each<readonly [string, (rig: DaemonRig) => void, Requests]>([
  ["a save", (rig) => rig.save("d1/n1.md", "edited\n"), { [`PUT ${FILE}/content`]: 1 }],
  ["a new document", (rig) => rig.save("d1/new.md", "new\n"), { "POST /v1/files": 1 }],
  ["a rename", (rig) => rig.rename("d1/n1.md", "d1/other.md"), { [`PATCH ${FILE}`]: 1 }],
  ["a move", (rig) => rig.rename("d1/n1.md", "d2/n1.md"), { [`PATCH ${FILE}`]: 1 }],
  ["a folder renamed", (rig) => rig.rename("d1", "e1"), { "PATCH /v1/folders/{id}": 1 }],
  // Both sides are looked at again before a deletion goes.
  [
    "a deletion, with a list",
    (rig) => rig.remove("d1/n1.md"),
    { "GET /v1/files": 1, [`GET ${FILE}`]: 1, [`DELETE ${FILE}`]: 1 },
  ],
])("I33 %s costs its own requests alone", async (_what, act, expected) => {
  const rig = await watching(60, NO_POLLS);
  act(rig);
  await rig.pass(120_000);
  expect(counted(rig)).toEqual(expected);
});

test("I33 a poll is a request for each thousand documents, and none for folders", async () => {
  const rig = await watching(1_001, null);
  await rig.pass(540_000);
  const requests = rig.sent();
  const polls = requests.filter((request) => !request.includes("cursor="));
  expect(polls.length).toBeGreaterThan(10);
  expect(requests).toHaveLength(2 * polls.length);
  expect(requests.filter((request) => !request.startsWith("GET /v1/files?"))).toEqual([]);
});
