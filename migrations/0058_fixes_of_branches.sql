-- +goose Up

-- Where source control reported the commit of a fix. Such a commit may never be deployed: its branch may be squashed, or thrown away.
ALTER TABLE fixes ADD COLUMN branch text NOT NULL DEFAULT ''; -- empty: linked by a call, a pull request, or on the default branch by now
