package triage

import "errand/core"

// extensionAnswer is the answer for a crash in a browser extension.
var extensionAnswer = answer{
	category: core.Client, isNoise: true, confidence: 0.95,
	reason: "It was raised by an extension of the user's browser, not by the app.",
}

var browsers = []string{"javascript"}

// noiseWordings are the errors that no change of the app can end, because they are not its own.
var noiseWordings = []wordingRule{
	{
		answer: answer{category: core.Client, isNoise: true, confidence: 0.97,
			reason: "Browsers report this when a page is laid out in more than one step; nothing fails."},
		wordings: []string{
			"resizeobserver loop limit exceeded", "resizeobserver loop completed with undelivered notifications",
		},
	},
	{
		answer: answer{category: core.Client, isNoise: true, confidence: 0.9,
			reason: "A script of another origin failed, and the browser hides what it was."},
		platforms: browsers,
		wordings:  []string{"script error", "javascript error: script error"},
	},
	{
		answer: answer{category: core.Client, isNoise: true, confidence: 0.9,
			reason: "It is raised by code that an app with a built-in browser, an extension or a crawler puts into pages."},
		wordings: []string{
			"object not found matching id", "_autofillcallbackhandler", "instantsearchsdkjsbridgeclearhighlight",
			"fb_xd_fragment", "bmi_safeaddonload", "ebcallbackfunc", "conduitpage", "atomicfindclose", "top.globals",
			"mycustomgetdocumentelement", "zalojsv2", "weixinjsbridge", "window.webkit.messagehandlers",
			"java object is gone", "java bridge method invocation error",
			"java exception was raised during method invocation", "__firefox__", "cecurrentvideo", "__gcrweb",
			"pktannotationhighlighter", "_pulse_hotkey", "jsbridge is not defined", "can't find variable: gmo",
			"can't redefine non-configurable property \"userscript\"", "extension context invalidated",
			"could not establish connection. receiving end does not exist",
			"the message port closed before a response was received", "cannot redefine property: ethereum",
			"cannot redefine property: googletag", "cannot set property ethereum of", "metamask",
			"message channel closed before a response was received",
		},
	},
	{
		answer: answer{category: core.Client, isNoise: true, isTransient: true, confidence: 0.85,
			reason: "The request was given up by the one who made it, such as by leaving the page."},
		wordings: []string{
			"the user aborted a request", "the operation was aborted", "signal is aborted without reason",
			"fetch is aborted", "request aborted", "abortederror", "aborterror", "err_canceled",
			"cancelederror: canceled", "econnaborted: request aborted", "client disconnected", "clientdisconnect",
			"client closed request", "client has closed the connection", "the client closed the connection",
			"clientabortexception", "context canceled", "navigation was aborted", "navigation cancelled",
			"navigation aborted", "routing aborted", "the play() request was interrupted",
			"client prematurely closed connection", "premature close",
		},
	},
	{
		answer: answer{category: core.Client, isNoise: true, confidence: 0.9,
			reason: "The browser does not let a page play sound or video, or use a device, before its user acts or agrees."},
		platforms: browsers,
		wordings: []string{
			"play() failed because the user didn't interact",
			"notallowederror: the request is not allowed by the user agent", "notallowederror: permission denied",
			"notallowederror: play() failed", "notallowederror: write permission denied",
		},
	},
	{
		answer: answer{category: core.Client, isNoise: true, confidence: 0.85,
			reason: "Somebody asks for hosts or paths that the app does not have, as scanners do."},
		wordings: []string{
			"invalid http_host header", "disallowedhost", "wp-login", "wp-admin", "wp-includes", "xmlrpc.php",
			"phpmyadmin", "/.env", "/.git/", "cgi-bin", "/vendor/phpunit", "/actuator/gateway", "blocked hosts:",
			"invalid host header", "http: tls handshake error", "invalid character found in method name",
			"invalid character found in the request target", "bad request version", "bad http/0.9 request type",
		},
	},
	{
		answer: answer{category: core.Infrastructure, isNoise: true, isTransient: true, confidence: 0.8,
			reason: "The process was told to end, as in a deploy."},
		wordings: []string{
			"keyboardinterrupt", "signalexception: sigterm", "signalexception: sighup", "interrupt: sigint",
			"systemexit", "http: server closed", "workerlosterror: worker exited prematurely: signal 15",
		},
	},
}
