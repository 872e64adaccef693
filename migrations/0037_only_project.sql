-- +goose Up

-- A token that sees and changes only its project. It is stored under another hash (see store/tokens.go), so that a server
-- that does not know the column does not know the token either.
ALTER TABLE tokens ADD COLUMN only_project boolean NOT NULL DEFAULT false;
ALTER TABLE consents ADD COLUMN only_project boolean NOT NULL DEFAULT false;
