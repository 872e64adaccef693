// Package pg is the layer below all statements: connections, transactions, rows, errors, ids and lists. It knows nothing
// about the contents of the tables.
package pg
