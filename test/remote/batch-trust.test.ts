import { describe, expect, it } from "vitest";
import { BATCH_HEADER } from "../../src/contract/batch.ts";
import { BatchTrust } from "../../src/remote/batch-trust.ts";
import { answer, LOST, page, problem } from "./scripted-wire.ts";
import { listThatTells } from "./scripted-batches.ts";

class Trusting {
  now = 0;
  readonly trust = new BatchTrust({ monotonic: () => this.now });

  note(standing: "good" | "shaken" | "gone"): void {
    this.trust.note(standing, this.trust.round());
  }
}

describe("whether batches may be sent", () => {
  it("not before the service has said so", () => {
    expect(new Trusting().trust.most()).toBeNull();
  });

  it.each([
    ["64", 64],
    ["2", 2],
    ["10", 10],
    ["1000000000", null],
    ["500", 64],
    ["1", null],
    ["0", null],
    ["-5", null],
    ["64.5", null],
    ["many", null],
    ["", null],
    ["6, 4", null],
  ])("as a list says by %j: %j", (said, most) => {
    const { trust } = new Trusting();
    trust.sawList(listThatTells(said));
    expect(trust.most()).toBe(most);
  });

  it("not any more once a list does not say so; other ends of a list say nothing", () => {
    const { trust } = new Trusting();
    trust.sawList(listThatTells());
    for (const end of [LOST, problem(503, "service_unavailable"), answer(302)]) trust.sawList(end);
    trust.sawList(problem(404, "workspace_not_found", [], { [BATCH_HEADER]: "32" }));
    expect(trust.most()).toBe(64);
    trust.sawList(page([]));
    expect(trust.most()).toBeNull();
  });

  it("not for ten minutes after they did not come through, whatever lists say", () => {
    const trusting = new Trusting();
    const { trust } = trusting;
    trust.sawList(listThatTells());
    trusting.note("gone");
    trust.sawList(listThatTells());
    expect(trust.most()).toBeNull();
    trusting.now += 599_999;
    expect(trust.most()).toBeNull();
    trusting.now += 1;
    expect(trust.most()).toBe(64);
  });

  it("still after one accident, which ends all that are under way; not after a second one", () => {
    const trusting = new Trusting();
    const { trust } = trusting;
    trust.sawList(listThatTells());
    const sentIn = trust.round();
    for (let n = 0; n < 4; n++) trust.note("shaken", sentIn);
    expect(trust.most()).toBe(64);
    trusting.note("shaken");
    expect(trust.most()).toBeNull();
  });

  it("still after accidents between which one came through", () => {
    const trusting = new Trusting();
    const { trust } = trusting;
    trust.sawList(listThatTells());
    for (let n = 0; n < 5; n++) {
      trusting.note("shaken");
      trusting.note("good");
    }
    expect(trust.most()).toBe(64);
  });

  it("a batch from before an accident that came through late does not make up for it", () => {
    const trusting = new Trusting();
    const { trust } = trusting;
    trust.sawList(listThatTells());
    const early = trust.round();
    trusting.note("shaken");
    trust.note("good", early);
    trusting.note("shaken");
    expect(trust.most()).toBeNull();
  });
});
