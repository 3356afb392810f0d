import type { WireRequest, WireResponse } from "../contract/wire.ts";
import type { WireResult } from "../ports/wire.ts";
import { BATCH_TYPE, PACKED_BATCH_TYPE } from "../contract/batch.ts";
import { contentTypeOf } from "./foreign.ts";
import { type BatchAnswers, readBatchAnswer, readPackedAnswer } from "./batch-lines.ts";
import { type ReadProblem, readProblem } from "./problem-body.ts";

/** What the end of a batch means for each of its requests. */

/**
 * What it says of batches. `shaken`: it may have been an accident; `gone`: the next one would fare
 * no better.
 */
export type Standing = "good" | "shaken" | "gone";

type BatchEnd = {
  /**
   * One for each request, in their order; null: each is sent once more, by itself. Nothing of the
   * batch was done, or it only reads.
   */
  readonly results: readonly WireResult[] | null;
  readonly standing: Standing;
};

/** @param isRead whether its requests only read */
export function judgeBatch(requests: readonly WireRequest[], result: WireResult, isRead: boolean): BatchEnd {
  if (result.kind === "not-sent") return all(requests, result, "good");
  if (result.kind === "lost") return all(requests, result, "shaken");
  const { response } = result;
  if (response.status >= 300) return judgeRefusal(requests, result, isRead);
  const answers = readAnswers(response, requests.length);
  if (answers.kind === "bad") {
    // Whatever it is, it answers no write: its status would be taken for that of each.
    return isRead ? singly() : all(requests, { kind: "lost", why: answers.why }, "gone");
  }
  const results = answers.responses.map((each): WireResult => ({ kind: "answer", response: each }));
  return { results, standing: "good" };
}

function readAnswers(response: WireResponse, count: number): BatchAnswers {
  const type = response.status === 200 ? contentTypeOf(response) : "";
  if (type === PACKED_BATCH_TYPE) return readPackedAnswer(response, count);
  if (type === BATCH_TYPE) return readBatchAnswer(response, count);
  return { kind: "bad", why: "what answered a batch was no batch" };
}

type Answered = Extract<WireResult, { readonly kind: "answer" }>;

/** A refusal of the batch as a whole. */
function judgeRefusal(requests: readonly WireRequest[], each: Answered, isRead: boolean): BatchEnd {
  const { response } = each;
  const problem = readProblem(response.body, response.status, asItIs);
  if (meansEach(response.status, problem)) return all(requests, each, "good");
  if (response.status >= 500) return all(requests, each, "shaken");
  // In the service's own words nothing of it was done. In those of a proxy nobody knows (I08).
  if (isRead || problem.kind === "problem") return singly();
  return all(requests, each, "gone");
}

/** Whether a refusal is about the key or the pace: it would meet each by itself. */
function meansEach(status: number, problem: ReadProblem | { readonly kind: "unreadable" }): boolean {
  if (status === 429) return true;
  if (problem.kind === "unreadable") return false;
  return status === 401 || status === 503 || problem.code === "workspace_not_found";
}

function singly(): BatchEnd {
  return { results: null, standing: "gone" };
}

function all(requests: readonly WireRequest[], result: WireResult, standing: Standing): BatchEnd {
  return { results: requests.map(() => result), standing };
}

/** The text is judged here, and shown nowhere. */
function asItIs(text: string): string {
  return text;
}
