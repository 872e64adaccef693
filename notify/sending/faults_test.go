package sending_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"errand/notify/notifytest"
	"errand/store"
	"errand/store/storetest"
	"errand/testkit/logtext"
)

// outage takes a database away: it ends all its connections and refuses new ones.
type outage struct {
	conn *pgx.Conn // to another database
	name string
}

func prepareOutage(t *testing.T, databaseURL string) *outage {
	t.Helper()
	location, err := url.Parse(databaseURL)
	require.NoError(t, err)
	o := &outage{name: strings.TrimPrefix(location.Path, "/")}
	location.Path = "/postgres"
	o.conn = storetest.ConnectTo(t, location.String())
	return o
}

func (o *outage) begin(t *testing.T) {
	t.Helper()
	o.exec(t, "ALTER DATABASE "+pgx.Identifier{o.name}.Sanitize()+" ALLOW_CONNECTIONS false")
	o.exec(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '"+o.name+"'")
}

func (o *outage) end(t *testing.T) {
	t.Helper()
	o.exec(t, "ALTER DATABASE "+pgx.Identifier{o.name}.Sanitize()+" ALLOW_CONNECTIONS true")
}

func (o *outage) exec(t *testing.T, sql string) {
	t.Helper()
	_, err := o.conn.Exec(t.Context(), sql)
	require.NoError(t, err)
}

// The database goes away while receivers have deliveries, and stays away for longer than an attempt counts as running. Then the outcomes
// are recorded before anything is taken: each delivery arrives once, and each attempt is counted.
func TestDatabaseGoesAwayWhileSending(t *testing.T) {
	t.Parallel()
	const issues = 12
	answer := make(chan struct{})
	receiver := notifytest.NewPlainReceiver(t, func(http.ResponseWriter, *http.Request) { <-answer })
	databaseURL, ahead := storetest.NewURL(t), &clockAhead{}
	s := storetest.Open(t, databaseURL, ahead.tell)
	storetest.MakeProject(t, s, storetest.Shop, "Shop")
	webhook := storetest.MakeWebhook(t, s, store.NewWebhook{URL: receiver.URL})
	addIssues(t, s, 0, issues)
	away, log := prepareOutage(t, databaseURL), &logtext.Text{}
	startLoggedSender(t, s, notifytest.NewSender(nil, &notifytest.Names{}, time.Minute), log)
	require.Eventually(t, func() bool { return len(receiver.Received()) > 0 }, atMost, often)

	away.begin(t)
	close(answer)
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "could not be written down") }, atMost, often)
	ahead.forward(2 * time.Minute)
	away.end(t)

	require.Eventually(t, func() bool { return countDelivered(t, s, webhook) == issues }, atMost, often)
	arrived := map[string]int{}
	for _, one := range receiver.Received() {
		arrived[one.Header.Get("X-Service-Delivery")]++
	}
	require.Len(t, arrived, issues)
	require.Len(t, receiver.Received(), issues, "none arrives twice")
	require.Equal(t, issues, storetest.ReadCell[int](t, s, `SELECT sum(attempts)::int FROM deliveries`), "each attempt is counted once")
}

// clockAhead is a running clock that can be moved forward.
type clockAhead struct {
	mu sync.Mutex
	by time.Duration
}

func (c *clockAhead) tell() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.by)
}

func (c *clockAhead) forward(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.by += by
}

// A name that led to a public address, or an allowed one, and now leads into the network is not called. Each attempt
// resolves once, and connects to the result.
func TestNameThatMovesInsideIsNotCalled(t *testing.T) {
	t.Parallel()
	receiver := notifytest.NewPlainReceiver(t, notifytest.AnswerStatus(http.StatusOK))
	names := &notifytest.Names{}
	names.Set("runner.example.com", notifytest.ParseAddresses("127.0.0.1"), notifytest.ParseAddresses("169.254.169.254"))
	s := storetest.New(t)
	storetest.MakeProject(t, s, storetest.Shop, "Shop")
	webhook := storetest.MakeWebhook(t, s, store.NewWebhook{URL: fmt.Sprintf("http://runner.example.com:%s/hook", receiver.Port(t))})
	startSender(t, s, notifytest.NewSender(nil, names, timeout))

	addIssues(t, s, 0, 1)
	require.Eventually(t, func() bool { return storetest.ReadCell[int](t, s, delivered, webhook) == 1 }, atMost, often)
	addIssues(t, s, 1, 1)

	const blocked = `SELECT count(*)::int FROM deliveries WHERE webhook_id = $1 AND attempts = 1 AND status = 'pending'
		AND last_error = 'the URL must not lead to runner.example.com at 169.254.169.254, which is not a public address'`
	require.Eventually(t, func() bool { return storetest.ReadCell[int](t, s, blocked, webhook) == 1 }, atMost, often)
	require.Len(t, receiver.Received(), 1)
	require.Len(t, names.Asked(), 2, "each attempt looks the name up once")
}

// countDelivered returns how many deliveries of a webhook have arrived; 0 while the database is away.
func countDelivered(t *testing.T, s *store.Store, webhook int64) int {
	t.Helper()
	rows, err := storetest.QuerySQL(t.Context(), s, delivered, webhook)
	if err != nil {
		return 0
	}
	n, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[int])
	if err != nil {
		return 0
	}
	return n
}
