import type { WireRequest, WireResponse } from "../../src/contract/wire.ts";
import type { Service, ServiceOptions } from "../../src/service/service.ts";
import type { DatabaseLocation } from "../../src/service/store/sqlite/database.ts";
import type { SqliteStore } from "../../src/service/store/sqlite/store.ts";
import { runToEnd, loadService } from "./realm.ts";

/** The same methods, which return their results instead of promises. */
type Now<T> = {
  readonly [Name in keyof T]: T[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => Result
    : Now<T[Name]>;
};

type Admin = Now<Service["admin"]>;

export type SyncServiceOptions = Omit<ServiceOptions, "store"> & { readonly database: DatabaseLocation };

/**
 * The service on SQLite, which answers within the call. Tests use it to act as a user in the middle
 * of another call.
 */
export class SyncService {
  readonly admin: Admin;
  readonly #service: Service;
  readonly #store: SqliteStore;

  constructor({ database, ...options }: SyncServiceOptions) {
    const { createService, SqliteStore } = loadService();
    this.#store = new SqliteStore(database, { random: options.random });
    this.#service = createService({ ...options, store: this.#store });
    this.admin = synchronous(this.#service.admin);
  }

  readonly answer = (request: WireRequest): WireResponse => copyOf(runToEnd(() => this.#service.answer(request)));

  readonly handle: Service["handle"] = async (request, fault) => {
    return copyOf(runToEnd(() => this.#service.handle(request, fault)));
  };

  readonly admit: Service["admit"] = async (head) => runToEnd(() => this.#service.admit(head));

  copy(): Uint8Array {
    return runToEnd(() => this.#store.copy());
  }

  close(): void {
    runToEnd(() => this.#service.close());
  }
}

/** Returns an object of the test's own context, because comparisons of tests check prototypes. */
function copyOf({ status, headers, body }: WireResponse): WireResponse {
  return { status, headers: { ...headers }, body };
}

function synchronous<T extends object>(one: T): Now<T> {
  return new Proxy(one, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member === "object" && member !== null) return synchronous(member);
      if (typeof member !== "function") return member;
      const call = (args: unknown[]) => runToEnd(() => Reflect.apply(member, target, args) as Promise<unknown>);
      return (...args: unknown[]) => structuredClone(call(args));
    },
  }) as Now<T>;
}
