package app

// FlagHelp returns the text of --help for the flag of Config with this variable; nothing for the settings, which have it in
// their tags. As tags or variables of tags, the texts would cost each command 70 ms: the parser reads all of them for each flag.
func FlagHelp(variable string) string { return flagHelp[variable] }

// flagHelp is the help of each flag, by variable.
var flagHelp = map[string]string{
	"ADDR": "Listen address.",
	"DATA_DIR": "Folder of the private Postgres and of generated secrets; by default /var/lib/errand for root, else " +
		"the user's data folder.",
	"BLOBS": "Where source maps are stored: file:///folder or s3://bucket?endpoint=https://host&region=name; by default " +
		"the folder blobs of the data folder with the private Postgres, else nowhere.",
	"DATABASE_URL":  "An existing Postgres, 15 or later; unset, Errand runs a private one in the data folder.",
	"DATABASE_POOL": "The most connections that this server makes to the database; at least 5.",
	"POSTGRES_BIN":  "Folder of the programs postgres and initdb; by default the newest that is installed.",
	"POSTGRES_MEMORY": "Shared memory of the private Postgres, such as 64MB or 2GB; its log on the disk may take three times as much, " +
		"or 192 MB if that is more.",
	"ADMIN_TOKEN": "Token of the bootstrap admin; with the private Postgres it is made when unset, and printed once.",
	"MIGRATE":     "on: update the schema at start; off: refuse to start on an old schema.",
	"ROLES":       "What this server does: all, or a comma list of ingest, api, mcp, web, worker.",
	"TRUSTED_PROXIES": "Proxies in front of the server: a comma list of CIDRs whose X-Forwarded-For or Forwarded is " +
		"believed; by default none.",
	"METRICS_ADDR":       "Listen address of /metrics and /debug/pprof, for operators only, such as 127.0.0.1:9090; by default off.",
	"LOG_LEVEL":          "debug, info, warn or error.",
	"LOG_FORMAT":         "json or text; by default text on a terminal, else json.",
	"SCM_WEBHOOK_SECRET": "Secret with which source control signs its reports to /hooks/scm; unset, that path does not exist.",
	"ENCRYPTION_KEYS": "Keys that encrypt the secrets of webhooks: a comma list of <id>:<32 random bytes in base64>, the newest first; with " +
		"the private Postgres one is made when unset.",
	"NOTIFY": "NATS servers through which servers tell each other of deliveries to send: nats://user:password@host:4222; " +
		"unset, deliveries of other servers start some seconds later.",
	"SMTP_URL": "Mail server for alerts and forgotten passwords: smtp://user:password@host:587 or smtps://user:password@host:465; " +
		"unset, no mail is sent.",
	"EMAIL_FROM":  "Sender of these mails, such as Errand <errand@example.com>.",
	"SCM_API_URL": "API of source control, for webhooks of the formats scm_dispatch and scm_issue.",
	"WEBHOOK_ALLOW_PRIVATE": "Addresses that webhooks may call although they are not public: a comma list of CIDRs such as " +
		"10.1.0.0/16; by default none.",
	"OIDC_ISSUER":        "Provider of OpenID Connect for single sign-on, such as https://login.example.com; unset, there is none.",
	"OIDC_CLIENT_ID":     "Client id of Errand at the provider of single sign-on.",
	"OIDC_CLIENT_SECRET": "Client secret of Errand at the provider of single sign-on.",
	"OIDC_ALLOWED_DOMAINS": "Domains of the e-mail addresses for which single sign-on makes users: a comma list such as example.com; " +
		"unset, it makes none.",
	"DATABASE_WAIT":  "How long a start waits for the database: a number with s, m, h or d.",
	"SHUTDOWN_DELAY": "How long /readyz answers 503 before a stop while requests are still served: a number with s, m, h or d.",
}
