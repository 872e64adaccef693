//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The code around the guides' code: the smallest application of each framework, and a request for the failing page.
const (
	djangoSettings = `SECRET_KEY = "of the tests"
ALLOWED_HOSTS = ["*"]
ROOT_URLCONF = "urls"
`
	djangoURLs = `from django.urls import path

urlpatterns = []

`
	djangoRequest = `import os

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "settings"
django.setup()
from django.test import Client

Client(raise_request_exception=False).get("/first-error/")
`
	flaskApp = `
from flask import Flask

app = Flask(__name__)

`
	flaskRequest = `
app.test_client().get("/first-error")
`
	fastAPIApp = `
from fastapi import FastAPI

app = FastAPI()

`
	fastAPIRequest = `
import asyncio
import contextlib


async def receive():
    return {"type": "http.request", "body": b"", "more_body": False}


async def send(message):
    pass


async def open_page():
    with contextlib.suppress(RuntimeError):  # the server, which is not here, would log it
        await app(scope, receive, send)


scope = {
    "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http", "path": "/first-error",
    "raw_path": b"/first-error", "root_path": "", "query_string": b"", "headers": [], "server": ("127.0.0.1", 80),
    "client": ("127.0.0.1", 4711),
}
asyncio.run(open_page())
`
)

// TestGuidesOfPythonFrameworks puts the code of the guides into applications, and opens the failing page.
func TestGuidesOfPythonFrameworks(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	interpreter, err := filepath.Abs(python)
	require.NoError(t, err)
	for platform, makeFiles := range map[string]func(guideOf) map[string]string{
		"django": func(g guideOf) map[string]string {
			return map[string]string{
				"settings.py": djangoSettings + g.block("settings.py"), "urls.py": djangoURLs + g.block("urls.py"), "main.py": djangoRequest,
			}
		},
		"flask": func(g guideOf) map[string]string {
			parts := g.blocks("app.py", 2)
			return map[string]string{"main.py": parts[0] + flaskApp + parts[1] + flaskRequest}
		},
		"fastapi": func(g guideOf) map[string]string {
			parts := g.blocks("main.py", 2)
			return map[string]string{"main.py": parts[0] + fastAPIApp + parts[1] + fastAPIRequest}
		},
	} {
		t.Run(platform, func(t *testing.T) {
			t.Parallel()
			g, dir := openGuide(t, s, platform), t.TempDir()
			for name, text := range makeFiles(g) {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
			}
			g.runCommand(dir, interpreter, "main.py")
			g.requireFirstError()
		})
	}
}
