-- +goose Up

-- What belongs to the installation and not to one of its servers. Servers from before do not look here.
CREATE TABLE install_settings (
	name   text PRIMARY KEY, -- of the variable
	value  text, -- NULL: it was unset, so the default holds
	set_by text NOT NULL,
	set_at timestamptz NOT NULL
);
