import { describe, expect, test } from "vitest";
import { ADMIN_KEY, openService } from "../service/fixture.ts";
import { audit, newWork, runClients, ServiceClient, type Work } from "./clients.ts";
import { judge, type Verdict } from "./judge.ts";
import { FORGOTTEN, LIES, lieOnce, RISEN } from "./liar.ts";
import { Recorder, type Send } from "./recorder.ts";

/** Twenty clients on a service in this process: what they see holds, and any lie is found. */

const CLIENTS = 20;
const OPERATIONS = 300;

type Ground = { readonly send: Send; readonly workspaceId: string };

async function openGround(): Promise<Ground> {
  const { service, key, workspaceId } = await openService();
  const keys = { user: key, admin: ADMIN_KEY };
  const send: Send = async (method, path, body, by) => {
    const headers = { "x-api-key": keys[by], "content-type": "application/json" };
    const request = { method, path, headers, body: body === null ? null : JSON.stringify(body) };
    const response = await service.handle(request);
    return { status: response.status, json: response.body === "" ? null : JSON.parse(response.body) };
  };
  return { send, workspaceId };
}

async function liveOn({ send, workspaceId }: Ground, seed: number): Promise<Verdict> {
  const recorder = new Recorder();
  const connect = async () => send;
  const work: Work = newWork({ recorder, connect, isOver: () => recorder.count >= OPERATIONS });
  await runClients(work, seed, CLIENTS);
  await audit(new ServiceClient(work, seed, CLIENTS), work, { listReviews: send, workspaceId });
  return judge(recorder.history);
}

test("what clients see of a service holds, and all that they may ask was asked", async () => {
  const { operations, broken, undecided, documents } = await liveOn(await openGround(), 1);
  expect({ broken, undecided }).toEqual({ broken: [], undecided: [] });
  expect(operations).toBeGreaterThan(OPERATIONS);
  expect(documents).toBeGreaterThan(10);
});

describe("one lie is found", () => {
  test.each([...Object.keys(LIES), FORGOTTEN, RISEN])("%s", async (lie) => {
    let lies = 0;
    const { send, workspaceId } = await openGround();
    const { broken } = await liveOn({ send: lieOnce(send, lie, () => lies++), workspaceId }, 2);
    expect({ lies, found: broken.length > 0 }).toEqual({ lies: 1, found: true });
  });
});
