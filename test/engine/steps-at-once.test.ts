import { expect, test } from "vitest";
import { syncToConvergence } from "../../src/mirror/engine/run/sync.ts";
import type { Remote } from "../../src/mirror/ports/remote.ts";
import { CONCURRENCY } from "../../src/mirror/remote/queue.ts";
import { createRig } from "../simulator/rig.ts";
import { SETTINGS } from "../simulator/mirror.ts";

test("I33 so many texts are on their way that the service has all the requests it may have, and few more", async () => {
  const mirror = createRig(5).mirror({});
  for (let n = 0; n < 500; n++) mirror.write(`${n}.md`, `text ${n}\n`);
  const world = mirror.world();
  const { remote, clock } = world;
  let [waiting, most] = [0, 0];
  const createFile: Remote["createFile"] = async (...file) => {
    most = Math.max(most, ++waiting);
    await clock.sleep(1_000);
    waiting--;
    return remote.createFile(...file);
  };
  const slow = new Proxy(remote, {
    get(of, name) {
      const member: unknown = name === "createFile" ? createFile : Reflect.get(of, name, of);
      return typeof member === "function" ? (member.bind(of) as unknown) : member;
    },
  });
  await syncToConvergence({ ...world, remote: slow }, { settings: SETTINGS, retryRefused: true, kind: "sync" });
  expect(most).toBeGreaterThanOrEqual(CONCURRENCY.most);
  expect(most).toBeLessThanOrEqual(CONCURRENCY.most + 8);
});
