package triage

import "errand/core"

// types are the rules over exception types, by their names in lower case without packages.
var types = []typeRule{
	{
		answer: answer{category: core.Bug, confidence: 0.8, isGeneral: true, reason: "Its type is that of a mistake in the code."},
		types: []string{
			"typeerror", "referenceerror", "rangeerror", "evalerror", "internalerror", "syntaxerror", // JavaScript
			"attributeerror", "nameerror", "unboundlocalerror", "indexerror", "keyerror", "assertionerror",
			"zerodivisionerror", "notimplementederror", "recursionerror", "indentationerror", "lookuperror",
			"stopiteration", "exceptiongroup", // Python
			"runtimeerror", "nomethoderror", "argumenterror", "frozenerror", "fibererror", "localjumperror",
			"systemstackerror", "uncaughtthrowerror", // Ruby
			"nullpointerexception", "illegalargumentexception", "illegalstateexception", "indexoutofboundsexception",
			"arrayindexoutofboundsexception", "stringindexoutofboundsexception", "classcastexception",
			"concurrentmodificationexception", "unsupportedoperationexception", "arithmeticexception",
			"nosuchelementexception", "negativearraysizeexception", "arraystoreexception", "kotlinnullpointerexception",
			"uninitializedpropertyaccessexception", "stackoverflowerror", "lazyinitializationexception", // the JVM
			"nullreferenceexception", "argumentexception", "argumentnullexception", "argumentoutofrangeexception",
			"invalidoperationexception", "invalidcastexception", "indexoutofrangeexception", "keynotfoundexception",
			"dividebyzeroexception", "notimplementedexception", "notsupportedexception", "objectdisposedexception",
			"overflowexception", "stackoverflowexception", "accessviolationexception", "unreachableexception", // .NET
			"errorexception", "divisionbyzeroerror", "argumentcounterror", "badmethodcallexception", "logicexception",
			"invalidargumentexception", "lengthexception", "domainexception", "outofboundsexception",
			"outofrangeexception", "unexpectedvalueexception", "unhandledmatcherror", "compileerror", // PHP
			"panic", "typeassertionerror", // Go, Rust
			"exc_bad_access", "exc_crash", "sigsegv", "sigabrt", "sigbus", "sigill", "nsinvalidargumentexception",
			"nsrangeexception", "nsinternalinconsistencyexception", // native
			"templatedoesnotexist", "noreversematch", "templatesyntaxerror", "fielderror", "multipleobjectsreturned",
			"functionclauseerror", "matcherror", "undefinedfunctionerror",
		},
	},
	{
		answer: answer{category: core.Network, isTransient: true, confidence: 0.85,
			reason: "Its type is that of a connection that failed."},
		types: []string{
			"connectionerror", "connectionreseterror", "connectionrefusederror", "connectionabortederror",
			"brokenpipeerror", "remotedisconnected", "protocolerror", "maxretryerror", "newconnectionerror",
			"incompleteread", "connecterror", "readerror", "remoteprotocolerror", "clientconnectorerror",
			"clientoserror", "serverdisconnectederror", "clientpayloaderror", "chunkedencodingerror", "gaierror",
			"sslerror", "urlerror", "connectexception", "socketexception", "unknownhostexception",
			"noroutetohostexception", "sslhandshakeexception", "sslexception", "httphostconnectexception",
			"nohttpresponseexception", "resourceaccessexception", "eofexception", "httprequestexception", "webexception",
			"ioexception", "connectionfailed", "econnrefused", "econnreset", "econnaborted", "ehostunreach", "epipe",
			"socketerror", "eoferror", "networkexception", "transportexception", "networkerror", "operror", "dnserror",
			"syscallerror", "requestexception", "requesterror", "fetcherror", "axioserror",
		},
	},
	{
		answer: answer{category: core.Network, isTransient: true, confidence: 0.8,
			reason: "Its type is that of an answer that did not come in time."},
		types: []string{
			"timeouterror", "timeoutexception", "connecttimeout", "readtimeout", "connecttimeouterror",
			"readtimeouterror", "sockettimeoutexception", "opentimeout", "connecttimeoutexception",
			"readtimeoutexception", "httptimeoutexception", "taskcanceledexception", "deadlineexceedederror",
			"deadlineexceeded", "writetimeout", "sockettimeout", "bodytimeouterror", "headerstimeouterror", "etimedout",
		},
	},
	{
		answer: answer{category: core.Infrastructure, isTransient: true, confidence: 0.75,
			reason: "Its type is that of a database, cache or queue that does not work."},
		types: []string{
			"operationalerror", "interfaceerror", "databaseerror", "disconnectionerror", "connectionnotestablished",
			"connectiontimeouterror", "connectionbad", "unabletosend",
			"statementinvalid",
			"cannotgetjdbcconnectionexception", "sqltransientconnectionexception", "sqlnontransientconnectionexception",
			"jdbcconnectionexception", "sqlrecoverableexception", "transientdataaccessresourceexception",
			"redisconnectionexception", "redisconnectionfailureexception", "redisexception", "redistimeoutexception",
			"rediserror", "cannotconnecterror", "busyloadingerror", "readonlyerror", "mongonetworkerror",
			"mongoserverselectionerror", "mongotimeoutexception", "autoreconnect", "serverselectiontimeouterror",
			"kafkajsconnectionerror", "kafkaexception", "amqpconnectionerror", "amqpioexception",
			"connectionclosederror", "kafkaconnectionerror", "nobrokersavailable", "prismaclientinitializationerror",
			"sequelizeconnectionerror", "sequelizeconnectionrefusederror", "connectionacquiretimeouterror",
			"transientexception", "connectionpooltimeouterror", "pdoexception",
		},
	},
	{
		answer: answer{category: core.DataCategory, confidence: 0.8,
			reason: "Its type is that of data that do not have the form that is expected."},
		types: []string{
			"jsondecodeerror", "unicodedecodeerror", "unicodeencodeerror", "validationerror", "valueerror", "dataerror",
			"integrityerror", "zoderror", "parsererror", "jsonparseexception", "jsonmappingexception",
			"jsonsyntaxexception", "mismatchedinputexception", "unrecognizedpropertyexception", "numberformatexception",
			"datetimeparseexception", "dataintegrityviolationexception", "constraintviolationexception",
			"duplicatekeyexception", "formatexception", "jsonexception", "jsonreaderexception",
			"jsonserializationexception", "recordinvalid", "recordnotunique", "invalidforeignkey", "notnullviolation",
			"valuetoolong", "numerror", "unmarshaltypeerror", "parseerror", "parseinterror", "parsefloaterror",
			"uniqueconstraintviolationexception", "prismaclientvalidationerror", "sequelizeuniqueconstrainterror",
			"sequelizevalidationerror", "sequelizeforeignkeyconstrainterror", "casterror", "validationexception",
			"invaliddatetimeformat", "notnullconstraintviolationexception", "foreignkeyconstraintviolationexception",
			"dbupdateexception", "dbupdateconcurrencyexception", "undefinedconversionerror", "encodingerror",
			"methodargumentnotvalidexception", "httpmessagenotreadableexception", "decimalexception", "invalidoperation",
			"malformedjwtexception", "jsonencodingexception",
		},
	},
	{
		answer: answer{category: core.Dependency, confidence: 0.85,
			reason: "Its type is that of a module or class that is missing or does not fit."},
		types: []string{
			"modulenotfounderror", "importerror", "classnotfoundexception", "noclassdeffounderror", "nosuchmethoderror",
			"nosuchfielderror", "linkageerror", "unsatisfiedlinkerror", "unsupportedclassversionerror",
			"incompatibleclasschangeerror", "abstractmethoderror", "loaderror", "gemnotfound", "missingspecerror",
			"fileloadexception", "typeloadexception", "missingmethodexception", "missingfieldexception",
			"dllnotfoundexception", "badimageformatexception", "classnotfounderror", "serviceconfigurationerror",
		},
	},
	{
		answer: answer{category: core.Infrastructure, isTransient: true, code: inCode, confidence: 0.75,
			reason: "Its type is that of transactions that waited for each other."},
		types: []string{"deadlocked", "lockwaittimeout", "cannotacquirelockexception", "deadlockloserdataaccessexception",
			"pessimisticlockexception", "pessimisticlockingfailureexception", "optimisticlockexception", "staleobjectstateexception",
			"staleobjecterror", "transactionrollbackerror"},
	},
	{
		answer: answer{category: core.Configuration, code: inCode, confidence: 0.75,
			reason: "Its type is that of a part of the app that is not declared, or cannot be built."},
		types: []string{"beancreationexception", "nosuchbeandefinitionexception", "unsatisfieddependencyexception",
			"bindingresolutionexception", "unknowndependenciesexception", "dependencyresolutionexception"},
	},
	{
		answer: answer{category: core.Configuration, confidence: 0.8,
			reason: "Its type is that of a setting that is missing or wrong."},
		types: []string{
			"improperlyconfigured",
			"configurationerror", "configurationexception",
			"invalidconfigurationexception", "optionsvalidationexception",
			"nocredentialserror", "credentialsprovidererror", "partialcredentialserror", "defaultcredentialserror",
			"noregionerror", "missingappkeyexception", "pendingmigrationerror", "permissionerror",
			"unauthorizedaccessexception", "applicationcontextexception",
			"filenotfounderror", "filenotfoundexception", "nosuchfileexception", "directorynotfoundexception",
		},
	},
	{
		answer: answer{category: core.Infrastructure, isGrave: true, confidence: 0.75,
			reason: "Its type is that of a machine or its storage that does not work."},
		types: []string{
			"oserror", "filesystemexception", "diskfullexception", "workerlosterror", "brokenprocesspool",
			"interruptedexception",
		},
	},
	{
		answer: answer{category: core.Performance, isGrave: true, confidence: 0.8,
			reason: "Its type is that of a process that needs too much memory or time."},
		types: []string{
			"memoryerror", "outofmemoryerror", "outofmemoryexception", "nomemoryerror", "softtimelimitexceeded",
			"timelimitexceeded", "querycanceled", "querycancelederror", "requesttimeoutexception", "requesttimeouterror",
			"applicationnotresponding", "apphang", "insufficientmemoryexception",
		},
	},
	{
		answer: answer{category: core.ThirdParty, confidence: 0.75, reason: "Its type is that of a service that the app calls."},
		types: []string{
			"httperror", "httpstatuserror", "stripeerror", "apierror", "apiconnectionerror", "apistatuserror",
			"ratelimiterror", "apiexception", "clienterror", "servererror", "serviceexception", "amazons3exception",
			"awsexception", "awserror", "awsserviceexception", "sdkclientexception", "googleapierror",
			"googleapicallerror", "twilioexception", "twiliorestexception", "slackapierror", "githubexception",
			"statuscodeerror", "httpresponseerror", "restclientexception", "httpclienterrorexception",
			"httpservererrorexception", "feignexception", "webclientresponseexception", "guzzleexception",
			"serverexception", "clientexception", "rpcexception", "grpcerror", "rpcerror", "statusruntimeexception",
			"openaierror", "invalidrequesterror", "carderror", "smtpexception", "smtprecipientsrefused", "mailexception",
			"sendgridexception", "algoliaerror", "responseerror",
		},
	},
	{
		answer: answer{category: core.Security, confidence: 0.8,
			reason: "Its type is that of a signature, a token or a right that does not hold."},
		types: []string{
			"invalidsignatureerror", "expiredsignatureerror", "badsignature", "invalidtokenerror", "jsonwebtokenerror",
			"tokenexpirederror", "decodeerror", "jwtexception", "expiredjwtexception", "signatureexception",
			"decryptexception", "tokenmismatchexception", "invalidauthenticitytoken", "suspiciousoperation",
			"suspiciousfileoperation", "securityexception", "securityerror", "cryptographicexception",
			"invalidkeyexception", "aeadbadtagexception", "badpaddingexception", "invalidcrossoriginrequest",
		},
	},
	{
		answer: answer{category: core.Client, code: notInCode, confidence: 0.75, isMissingRecord: true,
			reason: "Its type is that of a request for a record that is not there."},
		types: []string{"recordnotfound", "modelnotfoundexception", "entitynotfoundexception", "objectnotfoundexception",
			"documentnotfounderror", "entitynotfounderror", "noresultfound", "noresultexception", "emptyresultdataaccessexception"},
	},
	{
		answer: answer{category: core.Client, code: notInCode, confidence: 0.75,
			reason: "Its type is that of a request that the app rightly refuses."},
		types: []string{
			"http404", "notfoundhttpexception", "methodnotallowedhttpexception", "routingerror", "permissiondenied",
			"notauthenticated", "authenticationfailed", "authenticationexception", "accessdeniedhttpexception",
			"accessdeniedexception", "authorizationexception", "httpexception", "badrequest", "notfound",
			"methodnotallowed", "unauthorized", "forbidden", "notfounderror",
			"unsupportedmediatype", "httprequestmethodnotsupportedexception", "noresourcefoundexception",
			"nohandlerfoundexception", "missingservletrequestparameterexception", "methodargumenttypemismatchexception",
			"badhttprequestexception", "parametermissing", "unknownhttpmethod", "unknownformat", "bodyparsererror",
			"requestentitytoolarge", "unreadableposterror", "requestdatatoobig", "toomanyfieldssent",
			"notauthorizederror", "httpmediatypenotsupportedexception", "multipartexception",
			"maxuploadsizeexceededexception", "notallowederror", "unauthorizedexception", "forbiddenexception",
			"notfoundexception", "badrequestexception",
		},
	},
	{
		answer: answer{category: core.Client, isNoise: true, isTransient: true, confidence: 0.85,
			reason: "The request was given up by the one who made it, such as by leaving the page."},
		types: []string{
			"aborterror", "cancelederror", "cancellederror", "clientabortexception", "clientdisconnect",
			"clientdisconnected", "asyncrequestnotusableexception", "operationcanceledexception",
			"operationcancelledexception", "cancellationexception",
		},
	},
	{
		answer: answer{category: core.Infrastructure, isNoise: true, isTransient: true, confidence: 0.8,
			reason: "The process was told to end, as in a deploy."},
		types: []string{"keyboardinterrupt", "systemexit", "signalexception", "interrupt", "generatorexit"},
	},
	{
		answer: answer{category: core.Dependency, isTransient: true, code: notInCode, confidence: 0.75,
			reason: "The browser could not load a part of the app; often the page is older than the last deploy."},
		types: []string{"chunkloaderror"},
	},
}

// endings are the rules for types that are not in the table, by a part of their names.
var endings = []typeRule{
	{
		answer: answer{category: core.Network, isTransient: true, confidence: 0.65,
			reason: "Its type sounds like an answer that did not come in time."},
		types: []string{"timeout", "timedout", "deadlineexceeded"},
	},
	{
		answer: answer{category: core.ThirdParty, isTransient: true, confidence: 0.65,
			reason: "Its type sounds like a service that limits how often it may be called."},
		types: []string{"ratelimit", "toomanyrequests", "throttl", "quotaexceeded"},
	},
	{
		answer: answer{category: core.Infrastructure, isTransient: true, code: inCode, confidence: 0.65,
			reason: "Its type sounds like two writers that waited for each other."},
		types: []string{"deadlock", "lockconflict", "serializationfailure", "optimisticlock"},
	},
	{
		answer: answer{category: core.Performance, isGrave: true, confidence: 0.65,
			reason: "Its type sounds like a process that needs too much memory."},
		types: []string{"outofmemory"},
	},
	{
		answer: answer{category: core.Network, isTransient: true, confidence: 0.6,
			reason: "Its type sounds like a connection that failed."},
		types: []string{"connection", "network", "socket", "unreachable", "disconnect"},
	},
	{
		answer: answer{category: core.Security, confidence: 0.55,
			reason: "Its type sounds like a signature or token that does not hold."},
		types: []string{"signature", "csrf", "forgery", "decrypt"},
	},
	{
		answer: answer{category: core.Configuration, confidence: 0.6,
			reason: "Its type sounds like a setting that is missing or wrong."},
		types: []string{"configuration", "misconfigured", "credential", "config"},
	},
	{
		answer: answer{category: core.DataCategory, confidence: 0.6,
			reason: "Its type sounds like data that do not have the form that is expected."},
		types: []string{"validation", "parse", "decode", "deserializ", "serializ", "unmarshal", "constraint", "duplicate", "malformed",
			"encoding", "invalidformat"},
	},
	{
		answer: answer{category: core.Client, code: notInCode, confidence: 0.55, isMissingRecord: true,
			reason: "Its type sounds like a request for what is not there."},
		types: []string{"notfound"},
	},
	{
		answer: answer{category: core.Client, code: notInCode, confidence: 0.55,
			reason: "Its type sounds like a request that the app rightly refuses."},
		types: []string{"unauthorized", "forbidden", "accessdenied", "badrequest", "unauthenticated", "permissiondenied",
			"notauthorized"},
	},
	{
		answer: answer{category: core.Infrastructure, isTransient: true, confidence: 0.55,
			reason: "Its type sounds like a service that is out of order."},
		types: []string{"unavailable", "database", "redis", "mongo", "kafka"},
	},
	{
		answer: answer{category: core.Bug, confidence: 0.6, isGeneral: true,
			reason: "Its type sounds like a mistake in the code."},
		types: []string{"nullpointer", "nullreference", "outofbounds", "outofrange", "illegalargument", "illegalstate",
			"invalidargument", "assertion", "notimplemented"},
	},
}
