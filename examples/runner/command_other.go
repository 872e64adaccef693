//go:build !unix

package main

import "os/exec"

// stopTogether does nothing: a stop ends the command, and what it started goes on.
func stopTogether(*exec.Cmd) {}
