/** Who comes back is told of the own workspace alone, however much happened in others. */
export const OUTBOX_BY_WORKSPACE = `
CREATE INDEX outbox_by_workspace ON outbox (workspace, xid, n);
`;
