import type { OperationName } from "../mirror/operations/declared/table.ts";
import type { Declaration, InputOf, ReadDeclaration } from "../mirror/operations/define.ts";
import type { Operation } from "../mirror/operations/run-operation.ts";
import type { ReadOperation } from "../mirror/operations/run-read.ts";
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
      const { runRead } = await import("../mirror/operations/run-read.ts");
      const { root, world } = session;
      const operation: unknown = await OPERATIONS[name]();
      const ended = isRead(operation)
        ? await runRead(root, operation, input, world)
        : await runOperation(root, operation as Operation<Declaration, unknown>, input, world);
      return unwrap<unknown>(ended, root);
    });
}

function isRead(operation: unknown): operation is ReadOperation<ReadDeclaration> {
  return (operation as { readonly declared: Declaration | ReadDeclaration }).declared.access !== "write";
}
