import { curl } from "./curl.ts";
import { differences, type Expected } from "./expected.ts";

/** What one request came to. */
export type Line = { readonly sent: string; readonly status: number; readonly wrong: readonly string[] };

/** What was answered, judged as it came; what a step takes of it the next answer judges. */
// biome-ignore lint/suspicious/noExplicitAny: an answer that lied has any shape
export type Answered = any;

/** Ends a tour with its first difference. */
export class Stopped extends Error {
  override readonly name = "Stopped";
}

export type AskerOptions = {
  readonly url: string;
  readonly key: string;
  /** Told of each request as it was answered. */
  readonly onLine?: (line: Line) => void;
  /** Ends with the first answer that is otherwise. */
  readonly stopAtFirst?: boolean;
};

/** Sends requests by `curl`, and judges each answer. */
export class Asker {
  readonly lines: Line[] = [];
  readonly #options: AskerOptions;

  constructor(options: AskerOptions) {
    this.#options = options;
  }

  /**
   * @param expected null: no body
   * @returns the body as it came
   * @throws Stopped where the tour is to end with the first difference
   */
  ask(method: string, path: string, body: object | null, status: number, expected: Expected): Promise<Answered> {
    return this.#ask(this.#options.key, { method, path, body }, status, expected);
  }

  /** The same with a key that is none. */
  askAsNobody(method: string, path: string, body: object | null, code: number, expected: Expected): Promise<Answered> {
    return this.#ask("mdm_nobody", { method, path, body }, code, expected);
  }

  async #ask(key: string, { method, path, body }: Sent, status: number, expected: Expected): Promise<Answered> {
    const answer = await curl(this.#options.url + path, method, key, body);
    const json = readJson(answer.body);
    this.#note({
      sent: `${method} ${path}${body === null ? "" : ` ${JSON.stringify(body)}`}`,
      status: answer.status,
      wrong: [
        ...(answer.status === status ? [] : [`the status is ${answer.status}, and not ${status}`]),
        ...typeDifferences(answer.type, status),
        ...differences(json, expected),
      ],
    });
    return json;
  }

  #note(line: Line): void {
    this.lines.push(line);
    this.#options.onLine?.(line);
    if (this.#options.stopAtFirst && line.wrong.length > 0) throw new Stopped(line.sent);
  }
}

type Sent = { readonly method: string; readonly path: string; readonly body: object | null };

function readJson(text: string): Answered {
  if (text === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function typeDifferences(type: string, status: number): string[] {
  const wanted = status === 204 ? /^$/ : status < 400 ? /^application\/json/ : /^application\/problem\+json/;
  return wanted.test(type) ? [] : [`the content type is ${JSON.stringify(type)}`];
}
