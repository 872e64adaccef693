-- +goose Up

-- A new issue has dozens of features: to add those of several issues to the index together is cheaper. Each look-up reads what
-- waits for that, so it is little: 64 KB.
ALTER INDEX issue_features_features SET (fastupdate = on, gin_pending_list_limit = 64);
