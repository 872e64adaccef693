//go:build !unix

package main

import "os/exec"

// stopTogether does nothing: a stop ends only the command, and its child processes continue.
func stopTogether(*exec.Cmd) {}
