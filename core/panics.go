package core

import (
	"fmt"
	"runtime/debug"
)

// CatchPanic makes an error of a panic. It is deferred where nothing above would catch the panic, as in a goroutine.
// Otherwise a bug that hostile data sets off there would end the process.
func CatchPanic(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
	}
}
