package activity

// IsTrusted is the SQL condition that the trust of a project is high: core.AssessSources says the same of a project in memory, and a
// test compares the two. It reads projects as p, and as t (client_seen, client_since) when the latest event of a browser or an app
// came, and core.ClientSince.
const IsTrusted = `coalesce(p.trust_setting = 'high', t.client_seen > t.client_since IS NOT TRUE)`
