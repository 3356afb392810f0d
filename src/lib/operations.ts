import type { OperationName } from "../mirror/operations/declared/table.ts";
import type { Declaration, InputOf } from "../mirror/operations/define.ts";
import type { Operation } from "../mirror/operations/run-operation.ts";
import { OPERATIONS } from "../mirror/operations/table.ts";
import type { Session } from "./session.ts";
import type { Operations } from "./types.ts";
import { unwrap } from "./with-errors.ts";

/** Creates a method for each operation. */
export function operationsOf(session: Session): Operations {
  const methods = Object.keys(OPERATIONS).map((name) => [name, methodOf(session, name as OperationName)]);
  return Object.fromEntries(methods) as Operations;
}

function methodOf(session: Session, name: OperationName) {
  return (input: InputOf<Declaration>) =>
    session.run(session.root, async () => {
      const { runOperation } = await import("../mirror/operations/run-operation.ts");
      const operation = (await OPERATIONS[name]()) as unknown as Operation<Declaration, unknown>;
      return unwrap(await runOperation(session.root, operation, input, session.world), session.root);
    });
}
