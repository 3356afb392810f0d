/**
 * Lets a client that reconnects read the changes of its own workspace only, regardless of the
 * number of changes in others.
 */
export const OUTBOX_BY_WORKSPACE = `
CREATE INDEX outbox_by_workspace ON outbox (workspace, xid, n);
`;
