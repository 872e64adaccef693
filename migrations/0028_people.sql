-- +goose Up

-- People. An address is stored trimmed and in lower case, so that it belongs to one person in any spelling.
CREATE TABLE users (
	id                 bigint PRIMARY KEY,
	created_at         timestamptz NOT NULL,
	updated_at         timestamptz NOT NULL,
	last_logged_in_at  timestamptz,
	disabled_at        timestamptz,
	session_generation bigint NOT NULL DEFAULT 0, -- sessions of an earlier generation have ended
	site_admin         boolean NOT NULL DEFAULT false,
	email_address      text NOT NULL UNIQUE,
	slug               text NOT NULL UNIQUE,
	password_hash      text NOT NULL DEFAULT '', -- argon2id with its parameters; empty for people who sign in elsewhere
	old_hashes         text[] NOT NULL DEFAULT '{}' -- hashes of earlier passwords, latest first
);

-- The accounts of users at providers of single sign-on.
CREATE TABLE user_identities (
	user_id    bigint NOT NULL REFERENCES users ON DELETE CASCADE,
	created_at timestamptz NOT NULL,
	issuer     text NOT NULL,
	subject    text NOT NULL,
	PRIMARY KEY (issuer, subject)
);
CREATE INDEX user_identities_user ON user_identities (user_id);

CREATE TABLE teams (
	id         bigint PRIMARY KEY,
	created_at timestamptz NOT NULL,
	updated_at timestamptz NOT NULL,
	owner_id   bigint NOT NULL REFERENCES users ON DELETE CASCADE,
	name       text NOT NULL,
	slug       text NOT NULL UNIQUE
);
CREATE INDEX teams_owner ON teams (owner_id);

CREATE TABLE team_members (
	id         bigint NOT NULL UNIQUE,
	team_id    bigint NOT NULL REFERENCES teams ON DELETE CASCADE,
	user_id    bigint NOT NULL REFERENCES users ON DELETE CASCADE,
	created_at timestamptz NOT NULL,
	updated_at timestamptz NOT NULL,
	role       text NOT NULL,
	PRIMARY KEY (team_id, user_id)
);
CREATE INDEX team_members_user ON team_members (user_id);

-- The projects that a team sees.
CREATE TABLE team_projects (
	team_id    bigint NOT NULL REFERENCES teams ON DELETE CASCADE,
	project_id bigint NOT NULL,
	created_at timestamptz NOT NULL,
	PRIMARY KEY (team_id, project_id)
);
CREATE INDEX team_projects_project ON team_projects (project_id);

-- The user who made a project; NULL when no user did.
ALTER TABLE projects ADD COLUMN created_by_user bigint;

-- Sessions of the web, as their library keeps them. The key is the SHA-256 of the token in the cookie.
CREATE TABLE sessions (
	expires_at timestamptz NOT NULL,
	hash       bytea PRIMARY KEY,
	data       bytea NOT NULL
);
CREATE INDEX sessions_expires ON sessions (expires_at);

-- Links that work once: to sign up, and to set a new password.
CREATE TABLE user_links (
	user_id    bigint REFERENCES users ON DELETE CASCADE, -- NULL: to make the first user
	created_at timestamptz NOT NULL,
	expires_at timestamptz NOT NULL,
	hash       bytea PRIMARY KEY
);
CREATE INDEX user_links_user ON user_links (user_id);

-- Attempts to sign in, counted across all servers by account and by address.
CREATE TABLE sign_in_attempts (
	since    timestamptz NOT NULL, -- start of the window in which they are counted
	attempts bigint NOT NULL,
	subject  bytea PRIMARY KEY -- SHA-256 of the account or the address
);
CREATE INDEX sign_in_attempts_since ON sign_in_attempts (since);
