import { expect, test } from "vitest";
import { ADMIN_KEY, openService } from "../service/fixture.ts";
import { audit, newWork, runClients, ServiceClient, type Work } from "./clients.ts";
import { judge, type Verdict } from "./judge.ts";
import { Recorder, type Send } from "./recorder.ts";

/** The history of twenty clients of a service in this process has no fault. */

const CLIENTS = 20;
const OPERATIONS = 300;

type ClientSetup = { readonly send: Send; readonly workspaceId: string };

async function openStore(): Promise<ClientSetup> {
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

async function liveOn({ send, workspaceId }: ClientSetup, seed: number): Promise<Verdict> {
  const recorder = new Recorder();
  const connect = async () => send;
  const work: Work = newWork({ recorder, connect, isOver: () => recorder.count >= OPERATIONS });
  await runClients(work, seed, CLIENTS);
  await audit(new ServiceClient(work, seed, CLIENTS), work, { listReviews: send, workspaceId });
  return judge(recorder.history);
}

test("the answers to twenty clients are those of one service", async () => {
  const { operations, broken, undecided, documents } = await liveOn(await openStore(), 1);
  expect({ broken, undecided }).toEqual({ broken: [], undecided: [] });
  expect(operations).toBeGreaterThan(OPERATIONS);
  expect(documents).toBeGreaterThan(10);
});
