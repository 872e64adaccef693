// Package pg is what all statements stand on: connections, transactions, rows, errors, ids and lists. It knows nothing of
// what the tables are about.
package pg
