package triage

import "errand/core"

// wordings are the rules over titles, the most telling first. They come after those for noise. This file is data.
var wordings = []wordingRule{
	// Security.
	{
		answer: answer{category: core.Security, isGrave: true, code: inCode, confidence: 0.85,
			reason: "The wording is that of an attack, or of a hole that one goes through."},
		wordings: []string{
			"sql injection", "path traversal", "directory traversal", "xss attempt", "command injection",
			"prototype pollution attempt", "xml external entity", "suspiciousfileoperation", "suspiciousoperation",
			"possible attack detected", "unsafe deserialization", "zip slip",
		},
	},
	{
		answer: answer{category: core.Security, confidence: 0.8,
			reason: "A token against forged requests is missing or wrong; often the page was open for long."},
		wordings: []string{
			"csrf verification failed", "csrf token", "invalidauthenticitytoken", "can't verify csrf",
			"tokenmismatchexception", "invalid csrf", "ebadcsrftoken", "forbidden (csrf",
		},
	},
	{
		answer: answer{category: core.Security, confidence: 0.75,
			reason: "The browser blocked what the page's Content-Security-Policy does not allow."},
		wordings: []string{
			"content security policy", "content-security-policy", "blocked 'script-src", "blocked 'style-src",
			"blocked 'img-src", "blocked 'connect-src", "blocked 'frame-src", "blocked 'font-src",
			"blocked 'default-src",
		},
	},
	{
		answer: answer{category: core.Security, confidence: 0.75,
			reason: "A signature or a sealed value does not verify: it is forged, damaged, or of an old key."},
		wordings: []string{
			"invalid signature", "signature verification failed", "bad signature", "signature has expired",
			"jwt expired", "jwt malformed", "token is expired", "token has expired", "invalidsignature", "badsignature",
			"expiredsignatureerror", "decryptexception", "the mac is invalid", "invalid token",
			"no signatures found matching",
		},
	},

	// Resources of the machine.
	{
		answer: answer{category: core.Performance, isGrave: true, confidence: 0.85, reason: "The process ran out of memory."},
		wordings: []string{
			"javascript heap out of memory", "java heap space", "gc overhead limit exceeded", "outofmemoryerror",
			"outofmemoryexception", "allowed memory size of", "out of memory", "cannot allocate memory", "memoryerror",
			"failed to allocate memory", "nomemoryerror", "metaspace", "array buffer allocation failed",
		},
	},
	{
		answer: answer{category: core.Infrastructure, isGrave: true, confidence: 0.9, reason: "A disk is full, or a quota of one."},
		wordings: []string{
			"no space left on device", "enospc", "disk quota exceeded", "could not extend file", "disk full",
			"not enough space on the disk", "read-only file system", "erofs",
		},
	},
	{
		answer: answer{category: core.Bug, confidence: 0.75,
			reason: "The browser's storage is full or shut, which the code must expect."},
		wordings: []string{
			"quotaexceedederror", "the quota has been exceeded", "exceeded the quota", "persistent storage maximum size reached",
			"ns_error_dom_quota_reached", "failed to read the 'localstorage' property", "failed to read the 'sessionstorage' property",
		},
	},
	{
		answer: answer{category: core.Infrastructure, isGrave: true, code: inCode, confidence: 0.85,
			reason: "A limit of the system is reached, such as open files or threads; often the code does not give them back."},
		wordings: []string{
			"too many open files", "emfile", "enfile", "unable to create new native thread",
			"unable to create native thread", "can't start new thread", "resource temporarily unavailable",
			"system limit for number of file watchers",
		},
	},

	// Databases and queues.
	{
		answer: answer{category: core.Infrastructure, isTransient: true, code: inCode, confidence: 0.85,
			reason: "Transactions of a database waited for each other: the code can take locks in one order, and try again."},
		wordings: []string{
			"deadlock detected", "deadlock found when trying to get lock", "was deadlocked on lock",
			"could not serialize access", "lock wait timeout exceeded", "database is locked", "sqlite_busy",
			"serialization failure", "write conflict during plan execution", "lock timeout", "database table is locked",
			"transaction was deadlocked", "writeconflict",
		},
	},
	{
		answer: answer{category: core.Infrastructure, isGrave: true, confidence: 0.85,
			reason: "A database has no connection left to give, or the app's pool has none."},
		wordings: []string{
			"too many connections", "too many clients already", "remaining connection slots are reserved",
			"connection pool exhausted", "pool timed out", "queuepool limit", "could not obtain a database connection within",
			"timed out fetching a new connection from the connection pool",
			"connection is not available, request timed out", "timeout acquiring a connection", "pool is probably full",
			"max_user_connections", "the timeout period elapsed prior to obtaining a connection from the pool",
			"max number of clients reached", "pool timeout",
		},
	},
	{
		answer: answer{category: core.Infrastructure, isTransient: true, isGrave: true, confidence: 0.85,
			reason: "A database or a cache went away or does not take connections."},
		wordings: []string{
			"server closed the connection unexpectedly", "mysql server has gone away", "lost connection to mysql",
			"terminating connection due to administrator command", "the database system is starting up",
			"the database system is shutting down", "the database system is in recovery mode", "connection to server at",
			"can't connect to mysql server", "can't connect to local mysql", "could not connect to server",
			"no connection to the server", "sqlstate[hy000] [2002]", "can't reach database server",
			"mongoserverselectionerror", "server selection timed out", "no servers available", "redis server went away",
			"loading redis is loading the dataset in memory", "clusterdown", "connection to redis failed",
			"error connecting to redis", "connection with the redis server", "read only replica",
			"not_leader_for_partition", "leader not available", "no brokers available", "broker transport failure",
			"communications link failure", "server is shutting down",
			"unable to connect to any of the specified mysql hosts", "connection already closed",
			"connection has been closed", "connection terminated unexpectedly",
		},
	},
	{
		answer: answer{category: core.Configuration, confidence: 0.8,
			reason: "A database does not have the tables or columns that the app asks for: a migration is missing."},
		wordings: []string{
			"no such table", "no such column", "undefinedtable", "undefinedcolumn", "base table or view not found",
			"unknown column", "pendingmigrationerror", "invalid object name", "invalid column name",
			"migrations are pending", "relation * does not exist", "column * does not exist", "table * doesn't exist",
			"table * does not exist", "table or view does not exist",
			"unknown database",
		},
	},
	{
		answer: answer{category: core.DataCategory, confidence: 0.85,
			reason: "A database refused a value: it is there already, missing, or refers to nothing."},
		wordings: []string{
			"duplicate key value violates unique constraint", "duplicate entry", "unique constraint failed",
			"violates foreign key constraint", "violates not-null constraint", "violates check constraint",
			"foreign key constraint fails", "foreign key constraint failed", "not null constraint failed",
			"integrity constraint violation", "e11000 duplicate key", "unique constraint violated",
			"cannot insert duplicate key", "value too long for type", "data too long for column",
			"out of range value for column", "numeric field overflow", "invalid input syntax for",
			"incorrect string value", "string or binary data would be truncated", "cannot insert the value null",
			"unique constraint failed on the", "foreign key constraint violated",
		},
	},

	// A framework's message about a request that failed in the app's own code: no other service is out of order.
	{
		answer: answer{category: core.Bug, confidence: 0.6, isGeneral: true,
			reason: "The framework says that the app's own code failed while it handled a request."},
		wordings: []string{
			"during request handling", "an unhandled exception has occurred while executing the request",
			"unhandled exception was thrown by the application", "exception in asgi application", "error handling request",
			"exception while serving", "internal server error: /", "panic serving", "recovered from panic", "panic recovered",
			"servlet.service() for servlet", "unhandled error in request handler",
		},
	},

	// Rights, settings.
	{
		answer: answer{category: core.Configuration, code: inCode, confidence: 0.8,
			reason: "The code asks for a part of the app that is not declared, or cannot be built."},
		wordings: []string{
			"error creating bean with name", "no qualifying bean of type", "unsatisfieddependencyexception",
			"unable to resolve service for type", "target class * does not exist", "bindingresolutionexception",
			"can't resolve dependencies of", "no provider for", "has not been registered",
		},
	},
	{
		answer: answer{category: core.Configuration, confidence: 0.8,
			reason: "Credentials of the app itself are missing or refused by a service."},
		wordings: []string{
			"password authentication failed", "access denied for user", "authentication failed for user",
			"noauth authentication required", "wrongpass", "login failed for user", "invalid api key",
			"incorrect api key", "api key not valid", "invalid credentials provided for", "unable to locate credentials",
			"the security token included in the request is invalid", "nocredentialserror", "could not load credentials",
			"could not load the default credentials", "signaturedoesnotmatch", "invalidaccesskeyid", "invalid_client",
			"bad credentials", "no pg_hba.conf entry", "missing api key", "api key is required",
			"api_key client option must be set", "role * does not exist",
		},
	},
	{
		answer: answer{category: core.Configuration, confidence: 0.85,
			reason: "A setting or environment variable is missing or wrong."},
		wordings: []string{
			"environment variable", "improperlyconfigured", "is not set in the environment", "missing required env",
			"missing configuration", "configuration error", "invalid configuration",
			"no application encryption key has been specified", "secret_key", "config file not found",
			"missing secret_key_base",
			"could not resolve placeholder", "failed to bind properties", "missing environment", "process.env",
			"invalid environment", "feature is not enabled", "no such bucket",
			"nosuchbucket", "the specified bucket does not exist",
		},
	},
	{
		answer: answer{category: core.Configuration, confidence: 0.7,
			reason: "The system refuses the process a file, a port or an operation."},
		wordings: []string{
			"permission denied", "eacces", "eperm", "operation not permitted", "access is denied", "eaddrinuse",
			"address already in use", "failed to open stream: permission denied", "is not writable",
			"unauthorizedaccessexception", "accessdenied: access denied", "insufficient permissions",
		},
	},

	// Names, certificates, connections.
	{
		answer: answer{category: core.Network, isTransient: true, confidence: 0.85,
			reason: "The name of a host could not be resolved."},
		wordings: []string{
			"getaddrinfo", "enotfound", "eai_again", "name or service not known", "temporary failure in name resolution",
			"nodename nor servname provided", "no such host", "unknownhostexception", "name resolution failed",
			"could not resolve host", "failed to lookup address information", "no address associated with hostname",
			"nameresolutionerror", "the remote name could not be resolved", "err_name_not_resolved", "dns lookup failed",
			"no such host is known", "server misbehaving",
		},
	},
	{
		answer: answer{category: core.Configuration, confidence: 0.8,
			reason: "A TLS certificate is not valid, or not trusted here."},
		wordings: []string{
			"certificate verify failed", "unable to verify the first certificate", "self signed certificate",
			"self-signed certificate", "certificate has expired", "cert_has_expired",
			"unable to get local issuer certificate", "pkix path building failed", "x509: certificate",
			"depth_zero_self_signed_cert", "certificate signed by unknown authority",
			"the remote certificate is invalid", "err_cert", "ssl certificate problem", "hostname mismatch",
			"hostname/ip does not match certificate", "err_tls_cert_altname_invalid",
		},
	},
	{
		answer: answer{category: core.Network, isTransient: true, confidence: 0.85,
			reason: "A connection was refused or broke off."},
		wordings: []string{
			"econnreset", "econnrefused", "epipe", "ehostunreach", "enetunreach", "enetdown", "ehostdown",
			"econnaborted", "connection reset by peer", "connection refused", "broken pipe", "socket hang up",
			"no route to host", "network is unreachable", "connection aborted", "connection closed", "connection reset",
			"remote end closed connection without response", "unexpected eof", "remotedisconnected", "incompleteread",
			"the connection was closed", "other side closed", "connection was forcibly closed", "connection error",
			"err_connection_refused", "err_connection_reset", "use of closed network connection", "stream closed",
			"goaway", "tls handshake timeout", "failed to connect to", "unable to connect to", "connection lost",
			"prematurely closed", "transport is closing", "server sent goaway", "max retries exceeded with url",
			"client network socket disconnected", "actively refused it", "ssl_error_syscall", "wrong version number",
			"unexpected_eof_while_reading", "connection terminated", "an existing connection was forcibly closed",
		},
	},
	{
		answer: answer{category: core.Dependency, code: notInCode, isTransient: true, confidence: 0.75,
			reason: "The browser could not load a part of the app; often the page is older than the last deploy."},
		platforms: browsers,
		wordings: []string{
			"loading chunk", "loading css chunk", "chunkloaderror", "failed to fetch dynamically imported module",
			"error loading dynamically imported module", "importing a module script failed", "unable to preload css",
			"unexpected token '<'", "unexpected token <", "expected expression, got '<'", "failed to load module script",
		},
	},
	{
		answer: answer{category: core.Network, isTransient: true, code: notInCode, confidence: 0.75,
			reason: "The browser could not reach a server: the user was offline, left, or blocks the address."},
		platforms: browsers,
		wordings: []string{
			"failed to fetch", "load failed", "networkerror when attempting to fetch resource", "network request failed",
			"network error", "err_internet_disconnected", "the internet connection appears to be offline",
			"the network connection was lost", "a network error occurred", "cancelled", "xhr error", "net::err",
			"the request timed out", "could not connect to the server",
		},
	},

	// Services.
	{
		answer: answer{category: core.ThirdParty, isTransient: true, confidence: 0.85,
			reason: "A service that the app calls limits how often it may."},
		wordings: []string{
			"too many requests", "rate limit", "ratelimit", "status code 429", "status: 429", "429 client error",
			"throttlingexception", "throttled", "slow down", "quota exceeded", "resource_exhausted", "resourceexhausted",
			"rate exceeded", "requestlimitexceeded", "insufficient_quota", "provisionedthroughputexceeded", "error 1015",
		},
	},
	{
		answer: answer{category: core.ThirdParty, isTransient: true, confidence: 0.8,
			reason: "A service that the app calls answers that it is out of order."},
		wordings: []string{
			"bad gateway", "service unavailable", "gateway timeout", "gateway time-out", "status code 500",
			"status code 502", "status code 503", "status code 504", "status code 529", "500 server error",
			"502 server error", "503 server error", "504 server error", "internal server error", "overloaded_error",
			"serviceunavailable", "http 502", "http 503", "http 504", "upstream connect error",
			"temporarily unavailable", "code = unavailable", "unavailable: io exception",
			"server returned http response code: 50", "backend fetch failed",
		},
	},
	{
		answer: answer{category: core.ThirdParty, confidence: 0.7, code: inCode,
			reason: "A service refuses what the app sends it."},
		wordings: []string{
			"status code 400", "status code 401", "status code 403", "status code 404", "status code 405",
			"status code 409", "status code 410", "status code 415", "status code 422", "400 client error",
			"401 client error", "403 client error", "404 client error", "422 client error", "stripeinvalidrequesterror",
			"stripecarderror", "your card was declined", "invalid_grant", "invalid_request_error",
			"request failed with status code", "unexpected status code", "unexpected response status",
			"webhook endpoint",
		},
	},

	// Time.
	{
		answer: answer{category: core.Performance, isTransient: true, code: inCode, confidence: 0.75,
			reason: "A query or a job takes longer than it may."},
		wordings: []string{
			"canceling statement due to statement timeout", "canceling statement due to lock timeout",
			"query execution was interrupted", "maximum execution time", "max_execution_time",
			"maximum statement execution time exceeded", "querytimeout", "query read timeout", "worker timeout",
			"softtimelimitexceeded", "timelimitexceeded", "request took longer than", "task timed out after",
			"rack::timeout", "querycanceled", "function_invocation_timeout", "execution timeout expired",
			"transaction already closed", "exceeded time limit", "operation exceeded time limit", "maxtimems",
			"n+1 query", "slow query", "event loop blocked", "page unresponsive", "application not responding", "anr ",
		},
	},
	{
		answer: answer{category: core.Network, isTransient: true, confidence: 0.75, reason: "An answer did not come in time."},
		wordings: []string{
			"timed out", "timeout", "etimedout", "esockettimedout", "time-out", "deadline exceeded",
			"did not answer in time", "err_timed_out", "timeouterror", "connecttimeout", "readtimeout",
			"no response from server", "took too long to respond", "time out",
		},
	},

	// Modules.
	{
		answer: answer{category: core.Dependency, confidence: 0.85,
			reason: "A module, class or library is missing, or has another version than the code expects."},
		wordings: []string{
			"cannot find module", "cannot find package", "module not found", "no module named", "cannot import name",
			"err_module_not_found", "err_require_esm", "err_package_path_not_exported",
			"does not provide an export named", "noclassdeffounderror", "classnotfoundexception", "nosuchmethoderror",
			"nosuchfielderror", "unsupportedclassversionerror", "abstractmethoderror", "incompatibleclasschangeerror",
			"cannot load such file", "could not find gem", "gem::loaderror", "bundler::gemnotfound",
			"could not load file or assembly", "typeloadexception", "missingmethodexception",
			"cannot open shared object file", "dlopen", "undefined symbol", "dll load failed", "peer dependency",
			"has no exported member", "modulenotfounderror", "invalid elf header", "glibc_", "library not loaded",
			"failed opening required", "vendor/autoload.php", "call to undefined function", "unable to load dll",
			"no suitable driver", "is incompatible with this version of",
			"was compiled against a different node.js version", "invalid hook call",
		},
	},

	{
		answer: answer{category: core.Configuration, confidence: 0.6, reason: "A file or folder that the app expects is not there."},
		wordings: []string{"no such file or directory", "enoent", "could not find file", "could not find a part of the path",
			"the system cannot find the path"},
	},

	// Input of clients.
	{
		answer: answer{category: core.Client, confidence: 0.75, code: notInCode,
			reason: "Somebody asks for what is not there, or in a way that the app does not offer."},
		wordings: []string{
			"no route matches", "page not found", "http404", "notfoundhttpexception", "methodnotallowedhttpexception",
			"method not allowed", "no static resource", "no handler found for", "request method 'get' is not supported",
			"request method 'post' is not supported", "the requested url was not found", "routingerror",
			"nohandlerfoundexception", "actioncontroller::badrequest", "invalid %-encoding", "request entity too large",
			"payload too large", "request body too large", "body exceeded", "multipart: nextpart: eof",
			"unsupported media type", "malformed request", "invalid request parameters", "unreadable request",
			"required request body is missing", "multipartexception", "http2: stream closed",
		},
	},
	{
		answer: answer{category: core.Client, confidence: 0.7, code: notInCode,
			reason: "A caller is not logged in or may not do this."},
		wordings: []string{
			"unauthenticated", "not authenticated", "authentication credentials were not provided", "permissiondenied",
			"notauthorizederror", "unauthorized", "forbidden", "accessdeniedexception", "access denied",
			"authorizationexception", "full authentication is required", "you must be logged in", "session has expired",
			"login required",
		},
	},
	{
		answer: answer{category: core.DataCategory, confidence: 0.75, reason: "Data do not have the form that the code expects."},
		wordings: []string{
			"unexpected end of json input", "is not valid json", "json parse error", "unexpected token", "invalid json",
			"jsondecodeerror", "expecting value: line", "json.parse: unexpected", "invalid character",
			"cannot unmarshal", "malformed json", "malformed utf-8", "invalid utf-8", "codec can't decode",
			"codec can't encode", "invalid byte sequence", "incompatible character encodings", "cannot deserialize",
			"json could not be converted", "zoderror", "validationerror", "validation failed", "failed validation",
			"the given data was invalid", "schema validation", "does not match schema", "not a valid date",
			"invalid date", "invalid time value", "does not match format", "could not be parsed at index", "invalid iso",
			"for input string", "invalid literal for int", "could not convert string to float", "strconv.",
			"parsing time", "invalid value for", "unexpected end of data", "unexpected end of input",
			"unterminated string", "not in a correct format", "syntax error, unexpected end of file while parsing",
			"invaliddigit", "objectid failed", "cast to objectid failed", "invalid uuid", "missing field",
			"unknown variant", "circular structure to json", "recordinvalid", "invalid base64", "incorrect padding",
			"malformed uri", "uri malformed",
		},
	},

	// Bugs.
	{
		answer: answer{category: core.Bug, confidence: 0.85, isGrave: true, reason: "The code calls itself without an end."},
		wordings: []string{
			"maximum call stack size exceeded", "too much recursion", "maximum recursion depth exceeded",
			"stackoverflowerror", "stack level too deep", "stack overflow", "maximum update depth exceeded",
			"too many re-renders", "maximum function nesting level",
		},
	},
	{
		answer: answer{category: core.Bug, confidence: 0.85, reason: "The code uses a value that is not there."},
		wordings: []string{
			"cannot read properties of undefined", "cannot read properties of null", "cannot read property",
			"cannot set properties of undefined", "cannot set properties of null", "cannot set property",
			"undefined is not an object", "null is not an object", "undefined is not a function", "is not a function",
			"is undefined", "is null", "is not defined", "is not iterable", "is not a constructor",
			"can't access property", "can't find variable", "cannot access", "before initialization", "nonetype",
			"has no attribute", "nil pointer dereference", "invalid memory address", "for nil:nilclass", "for nil",
			"undefined method", "undefined local variable", "uninitialized constant", "null pointer",
			"because the return value of", "object reference not set to an instance of an object", "on null",
			"undefined variable", "undefined index", "undefined array key", "undefined offset", "undefined property",
			"trying to access array offset", "attempt to read property", "called on a none value",
			"called `option::unwrap()` on a `none` value", "called `result::unwrap()` on an `err` value",
			"is not subscriptable", "is not callable", "referenced before assignment",
			"cannot convert undefined or null to object", "cannot destructure property",
			"null check operator used on a null value", "value cannot be null", "unexpectedly found nil",
			"assignment to entry in nil map",
		},
	},
	{
		answer: answer{category: core.Bug, confidence: 0.85,
			reason: "The code goes beyond the end of a list or asks for a key that is not there."},
		wordings: []string{
			"index out of range", "index out of bounds", "out of bounds for length", "list index out of range",
			"string index out of range", "slice bounds out of range", "arrayindexoutofboundsexception", "key not found",
			"the given key was not present in the dictionary", "sequence contains no elements", "invalid array length",
			"pop from empty list", "dictionary changed size during iteration", "no value present",
			"concurrent map writes", "concurrent map read and map write", "all goroutines are asleep",
			"close of closed channel", "send on closed channel", "negative shift amount", "already borrowed",
			"already mutably borrowed",
		},
	},
	{
		answer: answer{category: core.Bug, confidence: 0.8,
			reason: "The code computes with values that do not allow it, or passes the wrong ones."},
		wordings: []string{
			"division by zero", "divide by zero", "divided by 0", "integer overflow",
			"attempt to subtract with overflow", "attempt to add with overflow", "unsupported operand type",
			"must be of type", "cannot be cast to", "interface conversion", "type mismatch", "unhashable type",
			"can only concatenate str", "required positional argument", "required keyword-only argument",
			"unexpected keyword argument", "wrong number of arguments", "no implicit conversion of",
			"positional arguments but", "too few arguments to function", "array to string conversion",
			"unsupported operand types", "cannot implicitly convert", "unable to cast object of type",
			"assertion failed", "invalid operand", "cannot mix bigint", "invalid regular expression", "can't convert",
			"argument must be", "expects parameter", "must not be null", "entered unreachable code", "not implemented",
			"invariant violation", "minified react error", "hydration failed", "text content does not match",
			"hydrating", "objects are not valid as a react child", "rendered more hooks", "rendered fewer hooks",
			"failed to execute 'removechild'", "failed to execute 'insertbefore'", "cannot assign to read only property",
			"assignment to constant variable", "templatedoesnotexist", "noreversematch", "actionview::template::error",
			"missingtemplate", "templatesyntaxerror", "headers already sent", "cannot set headers after they are sent",
			"err_http_headers_sent", "cannot modify header information", "superfluous response.writeheader",
			"syntax error", "parse error",
		},
	},
}
