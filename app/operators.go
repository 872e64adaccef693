package app

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// operators serves what only operators may see, on a separate listener: the metrics and Go's profiles.
type operators struct {
	server   *http.Server
	listener net.Listener
	serving  sync.WaitGroup
}

// listenForOperators binds METRICS_ADDR. serveAll starts serving.
func listenForOperators(addr string, registry *prometheus.Registry, log *slog.Logger) (*operators, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("METRICS_ADDR: %w", err)
	}
	errorLog := slog.NewLogLogger(log.Handler(), slog.LevelDebug)
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{ErrorLog: errorLog}))
	mux.HandleFunc("/debug/pprof/", pprof.Index) // not cmdline, since flags can contain secrets
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return &operators{
		server: &http.Server{
			Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10, ErrorLog: errorLog,
		},
		listener: listener,
	}, nil
}

// serveAll starts answering; close ends it.
func (o *operators) serveAll(log *slog.Logger) {
	o.serving.Go(func() {
		if err := o.server.Serve(o.listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("metrics are no longer served", "error", err)
		}
	})
}

func (o *operators) close() {
	_ = o.server.Close()
	_ = o.listener.Close() // if Serve ran, it has closed the listener
	o.serving.Wait()
}
