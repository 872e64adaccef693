package core

import (
	"fmt"
	"runtime/debug"
)

// CatchPanic makes an error of a panic. It is deferred where nothing above would catch it, as in a goroutine: a bug that hostile
// data meets there would end the process.
func CatchPanic(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
	}
}
